/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * vfork(2) for a process whose writers use rseq.
 *
 * A vfork child shares the memory of its parent but is not registered with
 * rseq: the kernel neither aborts its sections nor keeps its cpu_id up to
 * date, and what it reads there is its parent's. So the calling thread is
 * unregistered over the call: the child then finds the CPU number -1, and its
 * events go to the locked rings. The kernel's word on this: rseq(2), "CLONE_VM".
 *
 * The child returns on its parent's stack and overwrites what is above it, so
 * everything that has to survive is in registers that a system call keeps:
 *
 *	r8   return address		r9   struct rseq, or 0: unregistered
 */
	.text
	.weak	vfork
	.type	vfork, @function
	.balign	16
vfork:
	.cfi_startproc
	popq	%r8
	.cfi_adjust_cfa_offset -8
	.cfi_register %rip, %r8
	xorl	%r9d, %r9d
	cmpl	$0, agent_cpus(%rip)
	je	1f
	/* rseq(area, rseq_bytes, RSEQ_FLAG_UNREGISTER, RSEQ_SIG) */
	movq	rseq_offset(%rip), %r9
	addq	%fs:0, %r9
	movq	%r9, %rdi
	movl	rseq_bytes(%rip), %esi
	movl	$1, %edx
	movl	$0x53053053, %r10d
	movl	$334, %eax
	syscall
	testq	%rax, %rax
	jz	1f
	xorl	%r9d, %r9d
1:	movl	$58, %eax		/* vfork */
	syscall
	testq	%rax, %rax
	jz	3f			/* the child */
	testq	%r9, %r9
	jz	2f
	movq	%rax, %rcx
	pushq	%r8			/* the child has gone: our stack */
	pushq	%rcx
	movq	%r9, %rdi
	movl	rseq_bytes(%rip), %esi
	xorl	%edx, %edx
	movl	$0x53053053, %r10d
	movl	$334, %eax
	syscall
	popq	%rax
	popq	%r8
2:	cmpq	$-4095, %rax
	jae	4f
3:	jmpq	*%r8
4:	negl	%eax
	pushq	%r8
	.cfi_adjust_cfa_offset 8
	pushq	%rax
	callq	__errno_location@PLT
	popq	%rcx
	movl	%ecx, (%rax)
	movq	$-1, %rax
	ret
	.cfi_endproc
	.size	vfork, . - vfork
	.section .note.GNU-stack, "", @progbits
