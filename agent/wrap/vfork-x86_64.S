/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * vfork(2) for a process whose writers use rseq.
 *
 * A vfork child is a guest (guest.c): it shares the memory of its parent but is
 * not registered with rseq; see rseq(2), "CLONE_VM".
 *
 * The child returns on its parent's stack and overwrites it, so every value
 * that must survive is in a register that a system call keeps:
 *
 *	r8   return address		r9   argument of guest_end()
 */
	.text
	.weak	vfork
	.type	vfork, @function
	.balign	16
vfork:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	callq	guest_vfork
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	movq	%rax, %r9
	popq	%r8
	.cfi_adjust_cfa_offset -8
	.cfi_register %rip, %r8
	movl	$58, %eax		/* vfork */
	syscall
	testq	%rax, %rax
	jz	2f			/* the child */
	testq	%r9, %r9
	jz	1f
	movq	%rax, %rcx
	.cfi_remember_state
	pushq	%r8			/* the child has gone: our stack */
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rip, 0
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	movq	%r9, %rdi
	callq	guest_end
	popq	%rax
	popq	%r8
	.cfi_restore_state
1:	cmpq	$-4095, %rax
	jae	3f
2:	jmpq	*%r8
3:	negl	%eax
	pushq	%r8
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rip, 0
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	callq	__errno_location@PLT
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	movl	%ecx, (%rax)
	movq	$-1, %rax
	ret
	.cfi_endproc
	.size	vfork, . - vfork
	.section .note.GNU-stack, "", @progbits
