/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of demand.c that cannot be written in C. The program's threads run
 * them.
 */
#include "buffers/wake.h"

#define SYS_rt_sigprocmask	14
#define SYS_clone		56
#define SYS_exit		60
#define SIG_SETMASK		2
#define EBUSY			16

/* struct demand_making */
#define WAKE			0
#define CLONE_FLAGS		8
#define STACK			16
#define TID			24
#define TLS			32
#define MAKING_BYTES		40
/* struct process_wake */
#define ERROR			4

	.text
/*
 * The agent's signal handler returns here, to rt_sigreturn(2). Unwinders and
 * debuggers recognise a handler's frame by exactly these bytes where unwind
 * information is missing. They look up the caller one byte before the return
 * address: hence the nop.
 */
	.globl	demand_restore
	.hidden	demand_restore
	.type	demand_restore, @function
	.balign	16
	nop
demand_restore:
	movq	$15, %rax
	syscall
	.size	demand_restore, . - demand_restore

/*
 * A command has led a thread here, with a frame on its stack (buffers/wake.h).
 * Nothing below needs the command again.
 */
#define AT(word)	(8 * WAKE_##word - 8 * WAKE_WORDS - WAKE_RED_ZONE)

	.globl	demand_entry
	.hidden	demand_entry
	.type	demand_entry, @function
	.balign	64
	.cfi_startproc simple
	.cfi_signal_frame
	.cfi_def_cfa rsp, 8 * WAKE_WORDS + WAKE_RED_ZONE
	.cfi_offset rip, AT(RIP)
	.cfi_offset rbx, AT(RBX)
	.cfi_offset rbp, AT(RBP)
	.cfi_offset r12, AT(R12)
	.cfi_offset r13, AT(R13)
	.cfi_offset r14, AT(R14)
	.cfi_offset r15, AT(R15)
	.cfi_offset r11, AT(R11)
	.cfi_offset r10, AT(R10)
	.cfi_offset r9, AT(R9)
	.cfi_offset r8, AT(R8)
	.cfi_offset rdx, AT(RDX)
	.cfi_offset rcx, AT(RCX)
	.cfi_offset rsi, AT(RSI)
	.cfi_offset rdi, AT(RDI)
	nop
	/* the kernel begins the interrupted call again: undo its step back */
.Lagain:
	subq	$WAKE_ENTRY_GO, 8 * WAKE_RIP(%rsp)
	jmp	.Lgo
demand_entry:
	/* jmp .Lagain, in the two bytes of WAKE_ENTRY_GO */
	.byte	0xeb, .Lagain - .Lgo
.Lgo:	movq	%rax, 8 * WAKE_RAX(%rsp)
	/* Blocks all signals: a handler could end the thread while it holds the
	 * offer. */
	movl	$SIG_SETMASK, %edi
	leaq	.Lall(%rip), %rsi
	movq	%rsp, %rdx
	movl	$8, %r10d
	movl	$SYS_rt_sigprocmask, %eax
	syscall
	leaq	demand_making(%rip), %rbx
	movq	WAKE(%rbx), %rbp
	movl	$WAKE_OFFERED, %eax
	movl	$WAKE_TAKEN, %ecx
	/* order: WAKE_OFFER both; the same for what follows up to .Lback */
	lock cmpxchgl %ecx, (%rbp)
	jne	.Lback
	xorl	%eax, %eax
	cmpl	$0, demand_withdrawn(%rip)
	jne	.Loffer
	/* busy while the service thread before is still on the stack */
	movq	TID(%rbx), %rdx
	movl	$EBUSY, %eax
	cmpl	$0, (%rdx)
	jne	.Loffer
	movq	CLONE_FLAGS(%rbx), %rdi
	movq	STACK(%rbx), %rsi
	movq	%rdx, %r10
	movq	TLS(%rbx), %r8
	movl	$SYS_clone, %eax
	syscall
	testq	%rax, %rax
	jz	demand_thread
	jns	.Lback
	negl	%eax
.Loffer:
	movl	%eax, ERROR(%rbp)
	movl	$WAKE_OFFERED, %eax
	xchgl	%eax, (%rbp)
	cmpl	$0, demand_withdrawn(%rip)
	je	.Lback
	movl	$WAKE_OFFERED, %eax
	movl	$WAKE_NONE, %ecx
	lock cmpxchgl %ecx, (%rbp)
.Lback:
	movl	$SIG_SETMASK, %edi
	movq	%rsp, %rsi
	xorl	%edx, %edx
	movl	$8, %r10d
	movl	$SYS_rt_sigprocmask, %eax
	syscall
	leaq	8(%rsp), %rsp
	.cfi_adjust_cfa_offset -8
#define TAKE(name)	popq %name; .cfi_adjust_cfa_offset -8
	TAKE(r15); .cfi_restore r15
	TAKE(r14); .cfi_restore r14
	TAKE(r13); .cfi_restore r13
	TAKE(r12); .cfi_restore r12
	TAKE(r11); .cfi_restore r11
	TAKE(r10); .cfi_restore r10
	TAKE(r9); .cfi_restore r9
	TAKE(r8); .cfi_restore r8
	TAKE(rbp); .cfi_restore rbp
	TAKE(rbx); .cfi_restore rbx
	TAKE(rdx); .cfi_restore rdx
	TAKE(rcx); .cfi_restore rcx
	TAKE(rax)
	TAKE(rsi); .cfi_restore rsi
	TAKE(rdi); .cfi_restore rdi
	popfq
	.cfi_adjust_cfa_offset -8
	ret	$WAKE_RED_ZONE
	.cfi_endproc
	.size	demand_entry, . - demand_entry

/* The service thread begins. */
	.type	demand_thread, @function
demand_thread:
	.cfi_startproc
	.cfi_undefined rip
	xorl	%ebp, %ebp
	callq	thread_woken
	movl	%eax, %edi
	movl	$SYS_exit, %eax
	syscall
	hlt
	.cfi_endproc
	.size	demand_thread, . - demand_thread

/* As demand.c declares them; agent/beside/start.ld names their sections. */
#define WORDS(name, bytes)		\
	.section .bss.name, "aw", @nobits; \
	.balign	8;			\
	.globl	name;			\
	.hidden	name;			\
	.type	name, @object;		\
	.size	name, bytes;		\
name:	.skip	bytes
	WORDS(demand_making, MAKING_BYTES)
	WORDS(demand_withdrawn, 4)

	.section .rodata
	.balign	8
.Lall:	.quad	-1
	.section .note.GNU-stack, "", @progbits
