/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a probe's stub calls (usdt-place-x86_64.c). All registers, flags
 * included, are as they were at the probe afterwards: a nop changes none.
 *
 *	rsp at the probe -> | ...            |
 *			    | red zone, 128  |
 *			    | return address | into the stub
 *			    | flags          |
 *	rbx		 -> | general, 16    | struct usdt_state
 *
 * The vector registers: xmm0 to xmm15 are stored here. What lies above them is
 * left alone: a hit keeps to instructions that change the low halves only, and
 * calls nothing of libc (struct write_shape, narrow; buffers/locked.c).
 */
#define STUB_PROBE	37	/* from the return address: its pointer */

	.text
	.globl	usdt_entry
	.hidden	usdt_entry
	.type	usdt_entry, @function
	.balign	64
usdt_entry:
	.cfi_startproc
	.cfi_def_cfa rsp, 8
	pushfq
	.cfi_adjust_cfa_offset 8
	leaq	-256(%rsp), %rsp	/* vectors */
	.cfi_adjust_cfa_offset 256
	pushq	256(%rsp)		/* flags, into the struct */
	.cfi_adjust_cfa_offset 8
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%r11
	pushq	%r10
	pushq	%r9
	pushq	%r8
	pushq	%rsp			/* its value is put right below */
	pushq	%rbp
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%rbx
	pushq	%rax
	.cfi_adjust_cfa_offset 128
	cld
	movq	%rsp, %rbx
	.cfi_def_cfa_register rbx
	movups	%xmm0, 136(%rbx)
	movups	%xmm1, 152(%rbx)
	movups	%xmm2, 168(%rbx)
	movups	%xmm3, 184(%rbx)
	movups	%xmm4, 200(%rbx)
	movups	%xmm5, 216(%rbx)
	movups	%xmm6, 232(%rbx)
	movups	%xmm7, 248(%rbx)
	movups	%xmm8, 264(%rbx)
	movups	%xmm9, 280(%rbx)
	movups	%xmm10, 296(%rbx)
	movups	%xmm11, 312(%rbx)
	movups	%xmm12, 328(%rbx)
	movups	%xmm13, 344(%rbx)
	movups	%xmm14, 360(%rbx)
	movups	%xmm15, 376(%rbx)
	leaq	408 + 128(%rbx), %rax	/* flags, return address */
	movq	%rax, 56(%rbx)		/* rsp */
	movq	400(%rbx), %rax
	movq	STUB_PROBE(%rax), %rdi
	movq	%rbx, %rsi
	andq	$-16, %rsp
	subq	$16, %rsp
	stmxcsr	(%rsp)
	call	usdt_hit
	ldmxcsr	(%rsp)
	movups	136(%rbx), %xmm0
	movups	152(%rbx), %xmm1
	movups	168(%rbx), %xmm2
	movups	184(%rbx), %xmm3
	movups	200(%rbx), %xmm4
	movups	216(%rbx), %xmm5
	movups	232(%rbx), %xmm6
	movups	248(%rbx), %xmm7
	movups	264(%rbx), %xmm8
	movups	280(%rbx), %xmm9
	movups	296(%rbx), %xmm10
	movups	312(%rbx), %xmm11
	movups	328(%rbx), %xmm12
	movups	344(%rbx), %xmm13
	movups	360(%rbx), %xmm14
	movups	376(%rbx), %xmm15
	movq	%rbx, %rsp
	.cfi_def_cfa_register rsp
	popq	%rax
	popq	%rbx
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
	popq	%rbp
	leaq	8(%rsp), %rsp
	popq	%r8
	popq	%r9
	popq	%r10
	popq	%r11
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	.cfi_adjust_cfa_offset -128
	leaq	8 + 256(%rsp), %rsp
	.cfi_adjust_cfa_offset -264
	popfq
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	usdt_entry, . - usdt_entry
	.section .note.GNU-stack, "", @progbits
