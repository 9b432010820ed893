/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that begin and end in many ways, and a caller that plants values in
 * all registers, flags and MXCSR, and keeps those that a function leaves.
 * Each function does the same for the same values.
 *
 * void shapes_call(void (*function)(void), const struct shapes_state *in,
 *		    struct shapes_state *out, int avx)
 *
 *	0	rax rbx rcx rdx rsi rdi rbp, not used, r8 to r15
 *	128	vectors, 32 bytes each
 *	640	flags
 *	648	MXCSR
 *	656	by how much the stack pointer is off (out)
 *
 * rdi and rsi point to memory that is the caller's, r9 to the address of a
 * function that r11 has, too; the low byte of rcx counts.
 */
#define ONES(what) what 0; what 1; what 2; what 3; what 4; what 5; what 6; \
	what 7; what 8; what 9; what 10; what 11; what 12; what 13; what 14; \
	what 15
	.macro	load_ymm n
	vmovdqu	128 + 32 * \n(%rsi), %ymm\n
	.endm
	.macro	load_xmm n
	movups	128 + 32 * \n(%rsi), %xmm\n
	.endm
	.macro	store_ymm n
	vmovdqu	%ymm\n, 128 + 32 * \n(%rax)
	.endm
	.macro	store_xmm n
	movups	%xmm\n, 128 + 32 * \n(%rax)
	.endm

	.text
	.globl	shapes_call
	.type	shapes_call, @function
shapes_call:
	.cfi_startproc
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	movq	%rsp, %rax		/* flags may tell a stack's low byte */
	andq	$-256, %rsp
	pushq	%rax			/* 32(%rsp) below */
	pushq	%rcx			/* 24(%rsp): avx */
	pushq	%rdx			/* 16(%rsp): out */
	pushq	%rdi			/* 8(%rsp): function */
	pushq	%rsp			/* (%rsp): where this is */
	testl	%ecx, %ecx
	jz	1f
	ONES(load_ymm)
	jmp	2f
1:	ONES(load_xmm)
2:	ldmxcsr	648(%rsi)
	pushq	640(%rsi)
	movq	(%rsi), %rax
	movq	8(%rsi), %rbx
	movq	16(%rsi), %rcx
	movq	24(%rsi), %rdx
	movq	40(%rsi), %rdi
	movq	48(%rsi), %rbp
	movq	64(%rsi), %r8
	movq	72(%rsi), %r9
	movq	80(%rsi), %r10
	movq	88(%rsi), %r11
	movq	96(%rsi), %r12
	movq	104(%rsi), %r13
	movq	112(%rsi), %r14
	movq	120(%rsi), %r15
	movq	32(%rsi), %rsi
	popfq
	call	*8(%rsp)
	pushfq
	pushq	%rax
	movq	32(%rsp), %rax		/* out */
	popq	(%rax)
	popq	640(%rax)
	cld
	movq	%rbx, 8(%rax)
	movq	%rcx, 16(%rax)
	movq	%rdx, 24(%rax)
	movq	%rsi, 32(%rax)
	movq	%rdi, 40(%rax)
	movq	%rbp, 48(%rax)
	movq	%r8, 64(%rax)
	movq	%r9, 72(%rax)
	movq	%r10, 80(%rax)
	movq	%r11, 88(%rax)
	movq	%r12, 96(%rax)
	movq	%r13, 104(%rax)
	movq	%r14, 112(%rax)
	movq	%r15, 120(%rax)
	stmxcsr	648(%rax)
	movq	(%rsp), %rbx
	subq	%rsp, %rbx
	movq	%rbx, 656(%rax)
	cmpl	$0, 24(%rsp)
	jz	3f
	ONES(store_ymm)
	vzeroupper
	jmp	4f
3:	ONES(store_xmm)
4:	movq	32(%rsp), %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	ret
	.cfi_endproc
	.size	shapes_call, . - shapes_call

	.section .data.rel.ro, "aw"
	.balign	8
	.globl	shapes
shapes:
	.data
	.balign	8
	.globl	shapes_data
shapes_data:
	.quad	0x123456789abcdef, 3, 5, 7
	.text

	/* the function's row: its address, its name */
	.macro	row name
	.pushsection .rodata.str
777:	.asciz	"\name"
	.popsection
	.pushsection .data.rel.ro, "aw"
	.quad	shape_\name, 777b
	.popsection
	.endm
	.macro	close_shape name
	row	\name
	.globl	shape_\name
	.type	shape_\name, @function
shape_\name:
	.cfi_startproc
	.endm
	/* behind padding; close_shape: behind the function before */
	.macro	shape name
	.balign	32
	close_shape \name
	.endm
	.macro	end name
	.cfi_endproc
	.size	shape_\name, . - shape_\name
	.endm

	.balign	16
	.type	helper, @function
helper:
	.cfi_startproc
	leaq	1(%rax,%rax,2), %rax
	movq	%rax, -64(%rsp)
	xorq	%rbx, -64(%rsp)
	movq	-64(%rsp), %r11
	ret
	.cfi_endproc
	.size	helper, . - helper

	/* entries */
	shape	only_ret
	ret
	end	only_ret
	shape	nop_ret
	nop
	ret
	end	nop_ret
	shape	pushes
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	movq	%rdx, %rbx
	movq	%rax, %r12
	leaq	(%rbx,%r12), %rax
	popq	%r12
	popq	%rbp
	popq	%rbx
	ret
	end	pushes
	shape	high_pushes
	pushq	%r15
	pushq	%r14
	pushq	%r13
	xorl	%r15d, %r15d
	notq	%rdx
	popq	%r13
	popq	%r14
	popq	%r15
	ret
	end	high_pushes
	shape	frame
	pushq	%rbp
	movq	%rsp, %rbp
	subq	$64, %rsp
	movq	%rdx, -8(%rbp)
	movq	%rbx, -16(%rbp)
	movq	-8(%rbp), %rax
	subq	-16(%rbp), %rax
	leave
	ret
	end	frame
	shape	entered
	enter	$32, $0
	movq	%rdx, -8(%rbp)
	leave
	ret
	end	entered
	shape	sub_add
	subq	$24, %rsp
	movq	%rdx, 8(%rsp)
	addq	$3, 8(%rsp)
	movq	8(%rsp), %rax
	addq	$24, %rsp
	ret
	end	sub_add
	shape	probes_stack
	subq	$4096, %rsp
	orq	$0, (%rsp)
	subq	$512, %rsp
	movq	%rax, (%rsp)
	movq	(%rsp), %rdx
	addq	$4608, %rsp
	ret
	end	probes_stack
	shape	carry
	adcq	%rdx, %rax
	sbbq	%r8, %r9
	ret
	end	carry
	shape	on_carry
	jc	1f
	movl	$11, %eax
	ret
1:	movl	$12, %eax
	ret
	end	on_carry
	shape	on_overflow
	seto	%al
	setc	%bl
	setp	%cl
	cmovsq	%rdx, %r8
	ret
	end	on_overflow
	shape	flags
	pushfq
	popq	%rax
	andl	$0xcd5, %eax
	ret
	end	flags
	shape	adjusts
	lahf
	movzbl	%ah, %edx
	ret
	end	adjusts
	shape	variable
	movq	shapes_data(%rip), %rax
	addq	shapes_data + 8(%rip), %rax
	ret
	end	variable
	shape	variable_and_number
	cmpl	$0x1234567, shapes_data(%rip)
	movl	$8, %eax
	cmoveq	%rdx, %r9
	ret
	end	variable_and_number
	shape	address
	leaq	shapes_data(%rip), %rax
	movq	8(%rax), %rax
	ret
	end	address
	shape	number
	movl	$0x11223344, %eax
	addq	%rdx, %rax
	ret
	end	number
	shape	long_number
	movabsq	$0x1122334455667788, %r10
	xorq	%r10, %rax
	ret
	end	long_number
	shape	wide_nop
	.byte	0x0f, 0x1f, 0x44, 0, 0
	leal	1(%rdx), %eax
	ret
	end	wide_nop
	shape	five_nops
	.byte	0x90, 0x90, 0x90, 0x90, 0x90
	leal	1(%rdx), %eax
	ret
	end	five_nops
	shape	marked
	endbr64
	pushq	%rbx
	movq	%rdx, %rbx
	imulq	%rbx, %rax
	popq	%rbx
	ret
	end	marked
	shape	calls
	call	helper
	addq	%rdx, %rax
	ret
	end	calls
	shape	calls_after_push
	pushq	%rbx
	call	helper
	popq	%rbx
	ret
	end	calls_after_push
	shape	calls_through
	leaq	helper(%rip), %r10
	call	*%r10
	ret
	end	calls_through
	shape	calls_register
	movq	%r10, -8(%rsp)
	xorl	%r10d, %r10d
	addq	shapes_helper(%rip), %r10
	jmp	1f
	.balign	16
1:	call	*%r10
	ret
	end	calls_register
	shape	calls_high
	call	*%r11
	addq	$1, %rax
	ret
	end	calls_high
	shape	calls_stored
	pushq	%rbx
	call	*(%r9)
	popq	%rbx
	ret
	end	calls_stored
	shape	calls_indexed
	movl	$1, %ecx
	call	*-8(%r9,%rcx,8)
	ret
	end	calls_indexed
	shape	calls_stacked
	pushq	%r11
	call	*(%rsp)
	popq	%rdx
	ret
	end	calls_stacked
	shape	calls_memory
	call	*shapes_helper(%rip)
	ret
	end	calls_memory
	shape	recurses
	subb	$1, %cl
	jb	1f
	andl	$7, %ecx
	call	shape_recurses
	addq	$1, %rax
1:	ret
	end	recurses
	shape	jumps
	jmp	1f
	.byte	0x0f, 0x0b
1:	leaq	5(%rdx), %rax
	ret
	end	jumps
	shape	on_zero
	testl	%edx, %edx
	js	1f
	movq	%rdx, %rax
	ret
1:	movq	%rbx, %rax
	negq	%rax
	ret
	end	on_zero
	/* the red zone is in use where it begins anew */
	shape	loops
	movq	%rdx, -8(%rsp)
	addq	%rcx, -8(%rsp)
	movq	-8(%rsp), %rdx
	movups	%xmm3, -128(%rsp)
	movups	-128(%rsp), %xmm4
	shrq	$8, %rcx
	jnz	shape_loops
	movq	-8(%rsp), %rax
	ret
	end	loops
	shape	loops_behind
	xorl	%eax, %eax
1:	addq	%rdx, %rax
	shrq	$9, %rcx
	jnz	1b
	ret
	end	loops_behind
	shape	loops_twice
	movq	%rax, %r8
1:	rolq	$3, %r8
	subq	$1, %r9
	testb	$7, %r9b
	jnz	1b
	shrq	$17, %rcx
	jnz	1b
	ret
	end	loops_twice
	shape	vectors
	movaps	%xmm1, %xmm0
	paddq	%xmm2, %xmm0
	movups	%xmm0, -48(%rsp)
	pxor	%xmm5, %xmm5
	movups	-48(%rsp), %xmm7
	ret
	end	vectors
	shape	rounds
	cvtsi2sdq %rdx, %xmm0
	divsd	%xmm1, %xmm0
	sqrtsd	%xmm0, %xmm2
	ret
	end	rounds
	shape	x87
	fld1
	fldpi
	faddp
	fstpl	-24(%rsp)
	movq	-24(%rsp), %rax
	ret
	end	x87
	shape	backwards
	std
	movl	$8, %ecx
	rep movsb
	cld
	ret
	end	backwards
	shape	copies
	movl	$16, %ecx
	rep movsb
	xorl	%eax, %eax
	ret
	end	copies
	shape	stores
	movq	%rdx, (%rdi)
	movq	(%rdi), %rax
	movl	$7, 8(%rdi)
	lock xaddl %edx, 8(%rdi)
	ret
	end	stores
	shape	thread
	movq	%fs:0, %rax
	movq	%fs:40, %rdx
	ret
	end	thread
	shape	pushes_number
	pushq	$77
	pushq	$0x12345
	popq	%rax
	popq	%rdx
	ret
	end	pushes_number
	shape	pushes_memory
	pushq	shapes_data(%rip)
	popq	%rax
	ret
	end	pushes_memory
	shape	swaps
	xchgq	%rax, %rdx
	bswapq	%rdx
	xchgb	%ah, %al
	ret
	end	swaps
	shape	divides
	movl	$1000, %r10d
	xorl	%edx, %edx
	divl	%r10d
	ret
	end	divides
	shape	if_no_count
	jrcxz	1f
	addl	$1, %eax
1:	ret
	end	if_no_count

	/* exits */
	shape	repeated_ret
	leaq	1(%rdx), %rax
	rep ret
	end	repeated_ret
	shape	bounded_ret
	leaq	1(%rdx), %rax
	.byte	0xf2, 0xc3
	end	bounded_ret
	shape	pops_none
	leaq	1(%rdx), %rax
	ret	$0
	end	pops_none
	shape	tail
	leaq	1(%rdx), %rax
	jmp	helper
	end	tail
	shape	only_tail
	jmp	helper
	end	only_tail
	shape	tail_on_zero
	testq	%rdx, %rdx
	js	helper
	movl	$3, %eax
	ret
	end	tail_on_zero
	shape	tail_on_carry
	jc	helper
	jo	shape_number
	jp	shape_frame
	ret
	end	tail_on_carry
	shape	tail_through
	leaq	helper(%rip), %r10
	jmp	*%r10
	end	tail_through
	shape	tail_memory
	addq	$1, %rax
	jmp	*shapes_helper(%rip)
	end	tail_memory
	shape	tail_after_pops
	pushq	%rbx
	pushq	%rbp
	movq	%rdx, %rbx
	movq	%rbx, %rax
	popq	%rbp
	popq	%rbx
	jmp	shape_recurses
	end	tail_after_pops
	shape	shared_ret
	testb	$1, %dl
	jz	1f
	testb	$2, %dl
	jz	2f
	addq	$9, %rax
1:	addq	$1, %rax
2:	ret
	end	shared_ret
	shape	close_rets
	testb	$1, %dl
	jz	1f
	ret
1:	testb	$2, %dl
	jz	2f
	ret
2:	stc
	ret
	end	close_rets
	shape	switches
	leaq	1f(%rip), %rax
	andl	$3, %edx
	movslq	(%rax,%rdx,4), %rdx
	addq	%rdx, %rax
	jmp	*%rax
2:	movl	$1, %eax
	ret
3:	addq	%r8, %rax
	ret
4:	movl	$3, %edx
	jmp	helper
5:	xorl	%edx, %edx
	subq	%r9, %rax
	ret
	.pushsection .rodata
	.balign	4
1:	.long	2b - 1b, 3b - 1b, 4b - 1b, 5b - 1b
	.popsection
	end	switches
	shape	long_pops
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	subq	$40, %rsp
	movq	%rdx, 32(%rsp)
	movq	32(%rsp), %r15
	leaq	(%r15,%r8), %rax
	addq	$40, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	ret
	end	long_pops

	/* each instruction is short, and a branch leads there */
	shape	dense
	movl	%ecx, %r10d
	andl	$15, %r10d
	.irp	n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	cmpl	$\n, %r10d
	je	.Ldense_\n
	.endr
	addl	$3, %eax
.Ldense_1:
	xorl	%edx, %eax
.Ldense_2:
	incl	%eax
.Ldense_3:
	leaq	5(%rax), %rax
.Ldense_4:
	cltd
.Ldense_5:
	movl	%r8d, %ebx
.Ldense_6:
	bswap	%eax
.Ldense_7:
	testl	%eax, %eax
.Ldense_8:
	jz	.Ldense_9
.Ldense_9:
	roll	%eax
.Ldense_10:
	cmc
.Ldense_11:
	adcl	%ebx, %eax
.Ldense_12:
	notl	%edx
.Ldense_13:
	imull	%edx, %eax
.Ldense_14:
	cwtl
.Ldense_15:
	ret
	end	dense
	/* and of a function, by another one */
	shape	dense_entry
	incl	%eax
.Lentry_1:
	xorl	%edx, %eax
.Lentry_2:
	movl	%eax, %edx
.Lentry_3:
	decl	%edx
.Lentry_4:
	negl	%eax
.Lentry_5:
	orl	%ebx, %eax
	ret
	end	dense_entry
	shape	dense_jumps
	movl	%ecx, %r10d
	andl	$7, %r10d
	.irp	n, 1, 2, 3, 4, 5
	cmpl	$\n, %r10d
	.byte	0x0f, 0x84		/* je, long */
	.4byte	.Lentry_\n - . - 4
	.endr
	jmp	shape_dense_entry
	end	dense_jumps

	/* without padding between them */
	shape	close_one
	movl	%edx, %eax
	ret
	end	close_one
	close_shape close_two
	leaq	(%rdx,%rdx), %rax
	ret
	end	close_two
	close_shape close_three
	pushq	%rbx
	popq	%rax
	ret
	end	close_three
	close_shape close_four
	movl	$4, %eax
	ret
	end	close_four
	close_shape close_five
	addq	%r8, %rax
	addq	%r9, %rax
	jmp	shape_close_one
	end	close_five

	.pushsection .data.rel.ro, "aw"
	.globl	shapes_end
shapes_end:
	.quad	0
	.globl	shapes_helper
shapes_helper:
	.quad	helper
	.popsection
	.section .note.GNU-stack, "", @progbits
