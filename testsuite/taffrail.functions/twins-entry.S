/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stands in for twins-other.c. No jump has room at the return of this helper: a
 * jump leads to it, and the next function begins behind it.
 */
	.file	"twins-entry.S"
	.text
	.type	helper, @function
helper:
	.cfi_startproc
	leaq	100(%rdi), %rax
	testq	%rax, %rax
	jns	1f
	nop
1:	ret
	.cfi_endproc
	.size	helper, . - helper

	.globl	other_calls
	.type	other_calls, @function
other_calls:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	helper
	leaq	(%rax, %rax, 2), %rax
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	other_calls, . - other_calls

	.section .note.GNU-stack, "", @progbits
