/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * int thread_on_stack(int (*fn)(void *arg), void *arg, void *stack): calls
 * fn(arg) on the stack that ends at `stack`, which is 16-aligned, and returns
 * fn's result.
 */
	.text
	.globl	thread_on_stack
	.hidden	thread_on_stack
	.type	thread_on_stack, @function
thread_on_stack:
	.cfi_startproc
	endbr64
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsp
	call	*%rax
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	thread_on_stack, . - thread_on_stack
	.section .note.GNU-stack, "", @progbits
