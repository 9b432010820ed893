/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * syscall(2), as libc's function. It passes seccomp(2) and
 * landlock_restrict_self(2), for which libc has no functions, and prctl(2) to
 * confine.c. It asks confine_needs_files() before all others where a process
 * has put off its files.
 */
	.text
	.weak	syscall
	.type	syscall, @function
	.balign	16
syscall:
	.cfi_startproc
	cmpl	$317, %edi		/* seccomp */
	je	1f
	cmpl	$157, %edi		/* prctl */
	je	3f
	cmpl	$446, %edi		/* landlock_restrict_self */
	je	4f
	cmpl	$0, start_deferred(%rip)
	jne	5f
6:	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
	syscall
	cmpq	$-4095, %rax
	jae	2f
	ret
1:	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	jmp	confine_seccomp
3:	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %rcx
	movq	%r9, %r8
	jmp	confine_prctl
4:	movq	%rsi, %rdi
	movq	%rdx, %rsi
	jmp	confine_landlock
5:	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%r8
	pushq	%r9
	pushq	%r10			/* for the alignment */
	.cfi_adjust_cfa_offset 56
	callq	confine_needs_files
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
	.cfi_adjust_cfa_offset -56
	jmp	6b
2:	negl	%eax
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	callq	__errno_location@PLT
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	movl	%ecx, (%rax)
	movq	$-1, %rax
	ret
	.cfi_endproc
	.size	syscall, . - syscall
	.section .note.GNU-stack, "", @progbits
