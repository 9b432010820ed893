/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The function that gdbserver's jump pads call.
 */
	.text

/* ipa_collect_entry(point, registers): a jump pad pushes registers without
 * aligning the stack, and does not keep x87, SSE and AVX state. */
	.balign	16
	.globl	ipa_collect_entry
	.hidden	ipa_collect_entry
	.type	ipa_collect_entry, @function
ipa_collect_entry:
	endbr64
	movq	%rsi, %rdx
	movq	%rdi, %rsi
	leaq	ipa_collect(%rip), %rdi
	jmp	vectors_kept
	.size	ipa_collect_entry, . - ipa_collect_entry
	.section .note.GNU-stack, "", @progbits
