/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where gdbserver's jump pads come in, and the functions on which it puts
 * breakpoints.
 */
	.text

	.macro	hook name, alias
	.balign	16
	.globl	\name, \alias
	.hidden	\alias
	.type	\name, @function
	.type	\alias, @function
\name:
\alias:
	nop
	ret
	.size	\name, . - \name
	.size	\alias, . - \alias
	.endm

	hook	gdb_agent_stop_tracing, ipa_stop_tracing
	hook	gdb_agent_flush_trace_buffer, ipa_flush
	hook	gdb_agent_about_to_request_buffer_space, ipa_request

/*
 * ipa_collect_entry(point, registers): the pad has pushed registers anyhow, so
 * the stack is not aligned, and has not kept x87, SSE and AVX state, which
 * ipa_collect() is free to change.
 */
#define AREA	2752	/* XSAVE, standard format, up to AVX-512 and PKRU */

	.balign	16
	.globl	ipa_collect_entry
	.hidden	ipa_collect_entry
	.type	ipa_collect_entry, @function
ipa_collect_entry:
	.cfi_startproc
	endbr64
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	subq	$AREA, %rsp
	andq	$-64, %rsp
	cld
	movl	ipa_keep(%rip), %eax
	testl	%eax, %eax
	jz	1f
	/* the header has to be zero */
	xorl	%edx, %edx
	movq	%rdx, 512(%rsp)
	movq	%rdx, 520(%rsp)
	movq	%rdx, 528(%rsp)
	movq	%rdx, 536(%rsp)
	movq	%rdx, 544(%rsp)
	movq	%rdx, 552(%rsp)
	movq	%rdx, 560(%rsp)
	movq	%rdx, 568(%rsp)
	cmpl	$0, ipa_compact(%rip)
	jz	2f
	xsavec64 (%rsp)
3:	call	ipa_collect
	movl	ipa_keep(%rip), %eax
	xorl	%edx, %edx
	xrstor64 (%rsp)
	leave
	.cfi_remember_state
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_restore_state
2:	xsave64	(%rsp)
	jmp	3b
1:	fxsave64 (%rsp)
	call	ipa_collect
	fxrstor64 (%rsp)
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	ipa_collect_entry, . - ipa_collect_entry
	.section .note.GNU-stack, "", @progbits
