/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * int vectors_kept(int (*fn)(a, b), a, b): calls fn with the state of x87,
 * SSE, AVX and AVX-512 kept around it, as control/threads/vectors.h says. The
 * area's address is a third argument. The stack need not be aligned.
 */
#define AREA	2752	/* XSAVE, standard format, up to AVX-512 and PKRU;
			 * VECTORS_BYTES in vectors.h */

	.text
	.balign	16
	.globl	vectors_kept
	.hidden	vectors_kept
	.type	vectors_kept, @function
vectors_kept:
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
	movq	%rdi, %rcx
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movl	vectors_mask(%rip), %eax
	testl	%eax, %eax
	jz	1f
	/* XRSTOR needs zeros in the header's reserved fields */
	xorl	%edx, %edx
	movq	%rdx, 512(%rsp)
	movq	%rdx, 520(%rsp)
	movq	%rdx, 528(%rsp)
	movq	%rdx, 536(%rsp)
	movq	%rdx, 544(%rsp)
	movq	%rdx, 552(%rsp)
	movq	%rdx, 560(%rsp)
	movq	%rdx, 568(%rsp)
	cmpl	$0, vectors_compact(%rip)
	jz	2f
	xsavec64 (%rsp)
3:	movq	%rsp, %rdx
	call	*%rcx
	movl	%eax, %ecx
	movl	vectors_mask(%rip), %eax
	xorl	%edx, %edx
	xrstor64 (%rsp)
	movl	%ecx, %eax
	leave
	.cfi_remember_state
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_restore_state
2:	xsave64	(%rsp)
	jmp	3b
1:	fxsave64 (%rsp)
	movq	%rsp, %rdx
	call	*%rcx
	fxrstor64 (%rsp)
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	vectors_kept, . - vectors_kept
	.section .note.GNU-stack, "", @progbits
