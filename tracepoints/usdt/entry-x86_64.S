/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * usdt_entry, which a probe's stub calls (tracepoints/usdt/jumps/
 * way-x86_64.c). When it returns, all registers and the flags are as they
 * were at the probe: a nop changes none.
 *
 *	rsp at the probe -> | ...            |
 *			    | red zone, 128  |
 *			    | return address | into the stub
 *			    | flags          |
 *	rbx		 -> | general, 16    | struct usdt_state
 *
 * Of the vector registers, xmm0 to xmm15 are stored here. Their upper parts are
 * not stored: a hit uses only instructions that change the low halves, and
 * calls nothing of libc (struct write_shape, narrow;
 * buffers/writers/hold-private.h).
 */
#define STUB_PROBE	37	/* from the return address: its pointer */

/* Saves a register of the program, and tells unwinders where it is. */
	.macro	save register
	pushq	%\register
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \register, 0
	.endm

	.macro	restore register
	popq	%\register
	.cfi_adjust_cfa_offset -8
	.cfi_restore \register
	.endm

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
	save	r15
	save	r14
	save	r13
	save	r12
	save	r11
	save	r10
	save	r9
	save	r8
	pushq	%rsp			/* a place; the value is stored below */
	.cfi_adjust_cfa_offset 8
	save	rbp
	save	rdi
	save	rsi
	save	rdx
	save	rcx
	save	rbx
	save	rax
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
	/* Restores the flags without popfq: that takes longer than all pops
	 * below, and after a debugger's step it would make the thread trap.
	 * 0x7f + 1 overflows, and sahf does not change the overflow flag. */
	movl	128(%rsp), %edx
	movb	%dl, %ah
	shrl	$10, %edx
	testb	$1, %dl
	jnz	2f
	shrl	$1, %edx
	andb	$1, %dl
	addb	$0x7f, %dl
	sahf
1:	restore	rax
	restore	rbx
	restore	rcx
	restore	rdx
	restore	rsi
	restore	rdi
	restore	rbp
	leaq	8(%rsp), %rsp
	.cfi_adjust_cfa_offset -8
	restore	r8
	restore	r9
	restore	r10
	restore	r11
	restore	r12
	restore	r13
	restore	r14
	restore	r15
	leaq	8 + 256 + 8(%rsp), %rsp
	.cfi_adjust_cfa_offset -272
	ret
	/* the direction flag was set: strings are copied from their ends */
	.cfi_adjust_cfa_offset 8 + 8 + 256 + 8 + 15 * 8
2:	shrl	$1, %edx
	andb	$1, %dl
	addb	$0x7f, %dl
	sahf
	std
	jmp	1b
	.cfi_endproc
	.size	usdt_entry, . - usdt_entry
/*
 * The stubs, 64 bytes each, as tracepoints/usdt/jumps/way-x86_64.c writes
 * them. They are here, and not in anonymous memory, because unwinders look for
 * frames only in loaded files.
 *
 *	0	lea -128(%rsp), %rsp	the frame begins at rsp
 *	5	call *entry		at rsp + 128
 *	11	lea 128(%rsp), %rsp	at rsp + 128
 *	19	jmp *resume		at rsp
 *	56	the probe + 1		return address, as if the probe called
 */
#define STUBS		2048
#define STUB_BYTES	64

	.section .taffrail_stubs, "aw", @nobits
	.globl	usdt_stubs
	.hidden	usdt_stubs
	.globl	usdt_stubs_end
	.hidden	usdt_stubs_end
	.type	usdt_stubs, @function
	.balign	4096
usdt_stubs:
	.cfi_startproc
	/* DW_CFA_def_cfa_expression: rsp + ((rip & 12) != 0) << 7 */
	.cfi_escape 0x0f, 11, 0x77, 0, 0x80, 0, 0x3c, 0x1a, 0x30, 0x2e, \
		0x37, 0x24, 0x22
	/* DW_CFA_val_expression of rip: the word at (rip & -64) + 56 */
	.cfi_escape 0x16, 16, 8, 0x80, 0, 0x09, 0xc0, 0x1a, 0x23, 56, 0x06
	.skip	STUBS * STUB_BYTES
	.cfi_endproc
	.size	usdt_stubs, . - usdt_stubs
usdt_stubs_end:
	.section .note.GNU-stack, "", @progbits
