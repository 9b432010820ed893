/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What runs in the other process, see stub.h. This is data to the
 * command: it is copied there, and never runs here.
 *
 *	a thread of the program's    stopped, led here by one step
 *	  clone                      taken back to where it was
 *	    helper                   has thread-local storage that the command
 *	      pthread_create         made; ends at once
 *	        loader               a thread like any other of libc's
 *	          dlopen, taffrail_attach or taffrail_probe_request
 *
 * The helper's first allocation may put its thread-local storage into a list of
 * the allocator's, and libc does not tell the allocator that it ends: that
 * storage is unmapped only where malloc is libc's own.
 *
 * All signals are blocked in both but libc's own two (32, 33), which setuid()
 * waits for.
 */
#include "command/attach/stub.h"

#define SYS_write		1
#define SYS_mprotect		10
#define SYS_munmap		11
#define SYS_rt_sigprocmask	14
#define SYS_dup2		33
#define SYS_nanosleep		35
#define SYS_clone		56
#define SYS_exit		60
#define SYS_prctl		157
#define SYS_futex		202
#define SYS_unshare		272
#define SYS_memfd_create	319
#define SYS_rseq		334
#define SYS_close_range		436

#define PROT_READ		1
#define PROT_WRITE		2
#define PROT_EXEC		4
#define PR_SET_NAME		15
#define SIG_SETMASK		2
#define CLOSE_RANGE_UNSHARE	2
#define CLONE_FILES		0x400
#define MFD_CLOEXEC		1
#define RSEQ_SIGNATURE		0x53053053
#define PAUSE_NS		200000
#define STALE_BYTES		24576
#define PAGE_BYTES		4096
#define SIG_BLOCK		0
#define THREAD_SELF		16	/* tcbhead_t.self */

	.section .rodata.attach, "a", @progbits
	.balign 16
	.globl attach_stub_start
	.globl attach_stub_prepare
	.globl attach_stub_end
	.hidden attach_stub_start
	.hidden attach_stub_prepare
	.hidden attach_stub_end

attach_stub_start:
.Lblock = attach_stub_start + ATTACH_CODE_BYTES

	/* the stopped thread makes one step here, and is taken back */
	syscall
	testq	%rax, %rax
	jz	.Lhelper
	hlt

	/* another stack */
.Lhelper:
	leaq	.Lblock(%rip), %rbx
	xorl	%ebp, %ebp
	cld
	movl	$SIG_SETMASK, %edi
	leaq	ATTACH_HELPER_MASK(%rbx), %rsi
	xorl	%edx, %edx
	movl	$8, %r10d
	movl	$SYS_rt_sigprocmask, %eax
	syscall
	fninit
	pushq	$0x1f80
	ldmxcsr	(%rsp)
	popq	%rax
	/* mapped with all rights, if the process may (map_memory()) */
	leaq	attach_stub_start(%rip), %rdi
	movl	$ATTACH_CODE_BYTES, %esi
	movl	$(PROT_READ | PROT_EXEC), %edx
	movl	$SYS_mprotect, %eax
	syscall
	movq	%rbx, %rdi
	movq	ATTACH_SPARE_BYTES(%rbx), %rsi
	movl	ATTACH_KEPT(%rbx), %eax
	leaq	ATTACH_BLOCK_BYTES(%rsi,%rax), %rsi
	movl	$(PROT_READ | PROT_WRITE), %edx
	movl	$SYS_mprotect, %eax
	syscall
	movq	ATTACH_RSEQ(%rbx), %rdi
	testq	%rdi, %rdi
	jz	1f
	movl	ATTACH_RSEQ_BYTES(%rbx), %esi
	xorl	%edx, %edx
	movl	$RSEQ_SIGNATURE, %r10d
	movl	$SYS_rseq, %eax
	syscall
1:	leaq	ATTACH_PTHREAD(%rbx), %rdi
	xorl	%esi, %esi
	leaq	.Lloader(%rip), %rdx
	movq	%rbx, %rcx
	callq	*ATTACH_CREATE(%rbx)
	testl	%eax, %eax
	jnz	2f
	movq	ATTACH_PTHREAD(%rbx), %rdi
	callq	*ATTACH_DETACH(%rbx)
	jmp	3f
2:	movl	%eax, ATTACH_RESULT(%rbx)
	movl	$ATTACH_NO_THREAD, ATTACH_STATE(%rbx)
3:	xorl	%edi, %edi
	movl	$SYS_exit, %eax
	syscall
	hlt

	/* void *loader(struct attach_block *) */
.Lloader:
	endbr64
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	movq	%rdi, %rbx
	movl	$PR_SET_NAME, %edi
	leaq	.Lname(%rip), %rsi
	movl	$SYS_prctl, %eax
	syscall
	/* descriptors of its own: the program's stay as they are */
	xorl	%edi, %edi
	movl	$-1, %esi
	movl	$CLOSE_RANGE_UNSHARE, %edx
	movl	$SYS_close_range, %eax
	syscall
	testl	%eax, %eax
	jz	1f
	movl	$CLONE_FILES, %edi
	movl	$SYS_unshare, %eax
	syscall
	/* the helper goes first: what it stands on is unmapped below */
1:	movl	ATTACH_HELPER(%rbx), %edx
	testl	%edx, %edx
	jz	2f
	leaq	ATTACH_HELPER(%rbx), %rdi
	xorl	%esi, %esi		/* FUTEX_WAIT */
	xorl	%r10d, %r10d
	movl	$SYS_futex, %eax
	syscall
	jmp	1b
2:	xorl	%r13d, %r13d
	callq	.Lword
	cmpl	$ATTACH_GO_LOAD, %eax
	je	3f
	callq	.Lspare
	jmp	.Lend
3:	movl	$ATTACH_LOADS, ATTACH_STATE(%rbx)
	movl	$ATTACH_NO_FILE, %r12d
	callq	.Lfile
	movl	%eax, ATTACH_RESULT(%rbx)
	testl	%eax, %eax
	js	.Lreport
	callq	.Lspare
	callq	.Lload
	movl	%eax, %r12d
.Lreport:
	movl	ATTACH_GO(%rbx), %r13d
	movl	%r12d, ATTACH_STATE(%rbx)
	cmpl	$ATTACH_GO_END, %r13d
	je	1f
	callq	.Lword
	/* the command has read the answer: it is freed */
1:	cmpl	$0, ATTACH_AGAIN(%rbx)
	je	.Lend
	leaq	ATTACH_REQUEST(%rbx), %rdi
	movl	$1, REQUEST_OVER(%rdi)
	callq	*ATTACH_ATTACH(%rbx)
.Lend:	callq	.Lwipe
	movl	$1, ATTACH_OVER(%rbx)
	movq	ATTACH_LEAVE(%rbx), %rcx
	popq	%r13
	popq	%r12
	popq	%rbx
	xorl	%eax, %eax
	testq	%rcx, %rcx
	jz	1f
	/* returns to libc, not here */
	leaq	attach_stub_start(%rip), %rdi
	movl	$(ATTACH_CODE_BYTES + ATTACH_BLOCK_BYTES), %esi
	jmpq	*%rcx
1:	ret

	/* unmaps the helper's stack, and the library's bytes */
.Lspare:
	movq	ATTACH_SPARE(%rbx), %rdi
	movq	ATTACH_SPARE_BYTES(%rbx), %rsi
	movl	$SYS_munmap, %eax
	syscall
	ret

	/* The library's bytes in a file without a name, if there are any.
	 * Returns 0 or a negative errno in eax. */
.Lfile:	pushq	%r12
	pushq	%r13
	movq	ATTACH_IMAGE(%rbx), %r12
	xorl	%eax, %eax
	testq	%r12, %r12
	jz	3f
	leaq	.Lname(%rip), %rdi
	movl	$MFD_CLOEXEC, %esi
	movl	$SYS_memfd_create, %eax
	syscall
	testl	%eax, %eax
	js	3f
	movl	%eax, %r13d
1:	movl	%r13d, %edi
	movq	%r12, %rsi
	movq	ATTACH_IMAGE_BYTES(%rbx), %rdx
	movl	$SYS_write, %eax
	syscall
	testq	%rax, %rax
	js	3f
	addq	%rax, %r12
	subq	%rax, ATTACH_IMAGE_BYTES(%rbx)
	jnz	1b
	movl	%r13d, %edi
	movl	$ATTACH_FD, %esi
	movl	$SYS_dup2, %eax
	syscall
	testl	%eax, %eax
	js	3f
	xorl	%eax, %eax
3:	popq	%r13
	popq	%r12
	ret

	/* Returns the command's word in eax as soon as it differs from r13d. If
	 * none comes within ATTACH_PAUSES, the command is gone:
	 * ATTACH_GO_END. */
.Lword:	pushq	%r12
	movl	ATTACH_PAUSES(%rbx), %r12d
1:	movl	ATTACH_GO(%rbx), %eax
	cmpl	%r13d, %eax
	jne	2f
	callq	.Lpause
	decl	%r12d
	jnz	1b
	movl	$ATTACH_GO_END, %eax
2:	popq	%r12
	ret

	/* Loads the library, unless it is there, and calls its function.
	 * Returns the new state in eax. */
.Lload:	subq	$8, %rsp
	movq	ATTACH_ATTACH(%rbx), %rax
	testq	%rax, %rax
	jnz	1f
	/* first the gate, then who looks at it */
	movq	%fs:THREAD_SELF, %rax
	movq	%rax, ATTACH_SELF(%rbx)
	movl	$1, ATTACH_GATE(%rbx)
	leaq	attach_stub_prepare(%rip), %rdi
	leaq	.Lparent(%rip), %rsi
	leaq	.Lchild(%rip), %rdx
	movq	%rbx, %rcx
	callq	*ATTACH_ATFORK(%rbx)
	movl	$ATTACH_GO_LOAD, %r13d
	movl	$ATTACH_HOLDS, ATTACH_STATE(%rbx)
	callq	.Lword
	movl	$ATTACH_NO_WORD, %r13d
	cmpl	$ATTACH_GO_OPEN, %eax
	jne	4f
	movl	$ATTACH_OPENS, ATTACH_STATE(%rbx)
	leaq	ATTACH_PATH(%rbx), %rdi
	movl	ATTACH_FLAGS(%rbx), %esi
	callq	*ATTACH_DLOPEN(%rbx)
	testq	%rax, %rax
	jz	2f
	movq	%rax, %rdi
	leaq	ATTACH_ENTRY(%rbx), %rsi
	callq	*ATTACH_DLSYM(%rbx)
	movl	$ATTACH_NO_AGENT, %r13d
	testq	%rax, %rax
	jz	4f
1:	movq	ATTACH_ARGUMENT(%rbx), %rdi
	callq	*%rax
	movl	$ATTACH_DONE, %r13d
	testq	%rax, %rax
	jnz	3f
	cmpq	$0, ATTACH_DLCLOSE(%rbx)
	je	4f
	callq	.Lunload
	jmp	4f
2:	callq	*ATTACH_DLERROR(%rbx)
	movl	$ATTACH_NO_LIBRARY, %r13d
3:	testq	%rax, %rax
	jz	4f
	movq	%rax, %rsi
	leaq	ATTACH_TEXT(%rbx), %rdi
	movl	$ATTACH_TEXT_BYTES - 1, %ecx
5:	lodsb
	stosb
	testb	%al, %al
	jz	4f
	decl	%ecx
	jnz	5b
4:	movl	$0, ATTACH_GATE(%rbx)
	movl	%r13d, %eax
	addq	$8, %rsp
	ret

	/* Unloads the agent, which has given all back, once the command has
	 * seen that no thread is in it. If the library has really ended,
	 * nothing is called there again, and the handlers of fork(3) of the
	 * first load, which wait at that load's gate, are taken out. */
.Lunload:
	pushq	$0
	movq	ATTACH_REQUEST + REQUEST_ANSWER(%rbx), %rax
	movq	(%rax), %r12		/* unload_facts.stub */
	movl	$ATTACH_GO_LOAD, %r13d
	movl	$ATTACH_PAUSES_UNLOAD, ATTACH_PAUSES(%rbx)
	movl	$ATTACH_HOLDS, ATTACH_STATE(%rbx)
	callq	.Lword
	movl	$ATTACH_NO_WORD, %r13d
	cmpl	$ATTACH_GO_OPEN, %eax
	jne	1f
	movl	$ATTACH_OPENS, ATTACH_STATE(%rbx)
	movq	ATTACH_HANDLE(%rbx), %rdi
	callq	*ATTACH_DLCLOSE(%rbx)
	movl	$ATTACH_DONE, %r13d
	movl	$0, ATTACH_AGAIN(%rbx)
	cmpl	$0, ATTACH_REQUEST(%rbx)
	jne	2f
	/* another library needs it: at once, before that goes */
	leaq	ATTACH_REQUEST(%rbx), %rdi
	movl	$UNLOAD_CLOSED, REQUEST_OVER(%rdi)
	callq	*ATTACH_ATTACH(%rbx)
	jmp	1f
2:	/* the fork handlers of the library's first load */
	movl	$0, ATTACH_CODE_BYTES + ATTACH_GATE(%r12)
	leaq	ATTACH_CODE_BYTES(%r12), %rdi
	callq	*ATTACH_FINALIZE(%rbx)
1:	addq	$8, %rsp
	ret

	/* Clears what the calls have left on the stack: libc keeps the stack
	 * for a later thread, and a command that unloads the agent would take
	 * the addresses for those of a thread that is in it. The kernel tells
	 * where the stack begins. */
.Lwipe:	leaq	-STALE_BYTES(%rsp), %r12
	movq	%rsp, %rdx
1:	movl	$SIG_BLOCK, %edi
	xorl	%esi, %esi
	subq	$PAGE_BYTES, %rdx
	movl	$8, %r10d
	movl	$SYS_rt_sigprocmask, %eax
	syscall
	testl	%eax, %eax
	jnz	2f
	movq	%rdx, %rdi
	movl	$(PAGE_BYTES / 8), %ecx
	rep stosq
	cmpq	%r12, %rdx
	ja	1b
2:	ret

	/* fork(3) calls these in the thread that forks. A child would have the
	 * dynamic linker in the middle of its work, so who forks waits; then
	 * the agent's own handlers come, if there are any: they are registered
	 * here, with the gate, as libc calls none for a fork that has begun
	 * before they were, be it one that waits at the gate. */
attach_stub_prepare:
	endbr64
1:	cmpl	$0, .Lblock + ATTACH_GATE(%rip)
	je	2f
	/* the library's own constructors may fork */
	movq	%fs:THREAD_SELF, %rax
	cmpq	%rax, .Lblock + ATTACH_SELF(%rip)
	je	2f
	callq	.Lpause
	jmp	1b
2:	movq	.Lblock + ATTACH_FORKS(%rip), %rax
	jmp	3f
.Lparent:
	endbr64
	movq	.Lblock + ATTACH_FORKS + 8(%rip), %rax
	jmp	3f
.Lchild:
	endbr64
	movq	.Lblock + ATTACH_FORKS + 16(%rip), %rax
3:	testq	%rax, %rax
	jz	4f
	jmpq	*%rax
4:	ret

.Lpause:
	pushq	$PAUSE_NS
	pushq	$0
	movq	%rsp, %rdi
	xorl	%esi, %esi
	movl	$SYS_nanosleep, %eax
	syscall
	addq	$16, %rsp
	ret

.Lname:	.asciz	"taffrail attach"
attach_stub_end:

	.section .note.GNU-stack, "", @progbits
