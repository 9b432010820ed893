/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * void probe_state(const uint64_t *in, uint64_t *out, int how): a probe with
 * patterns in all registers and in the red zone, and what is there behind it.
 *
 *	in, out	  general registers at 0 (rax and rsp not used), vectors of 32
 *		  bytes at 128; out also the red zone at 640, flags at 768: as
 *		  lahf and seto have them, and the direction above those
 *	how	  1: ymm; else xmm only, with nothing above; 2: downwards
 */
#ifndef STATE_NEXT		/* operand of what is behind the nop */
#define STATE_NEXT	0xe00000
#endif

	.macro	each what
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	\what	\n
	.endr
	.endm
	.macro	load_ymm n
	vmovdqu	128 + 32 * \n(%rdi), %ymm\n
	.endm
	.macro	load_xmm n
	movups	128 + 32 * \n(%rdi), %xmm\n
	.endm
	.macro	store_ymm n
	vmovdqu	%ymm\n, 128 + 32 * \n(%rax)
	.endm
	.macro	fill_red n
	movq	$0x5a000000 + \n, -8 - 8 * \n(%rsp)
	.endm
	.macro	store_red n
	movq	-8 - 8 * \n(%rsp), %rbx
	movq	%rbx, 640 + 8 * \n(%rax)
	.endm

	.text
	.globl	probe_state
	.type	probe_state, @function
probe_state:
	.cfi_startproc
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	pushq	%rsi
	vzeroupper
	testl	$1, %edx
	jz	1f
	each	load_ymm
	jmp	2f
1:	each	load_xmm
2:	each	fill_red
	testl	$2, %edx
	jz	3f
	std
3:
	movq	8(%rdi), %rbx
	movq	16(%rdi), %rcx
	movq	24(%rdi), %rdx
	movq	32(%rdi), %rsi
	movq	48(%rdi), %rbp
	movq	64(%rdi), %r8
	movq	72(%rdi), %r9
	movq	80(%rdi), %r10
	movq	88(%rdi), %r11
	movq	96(%rdi), %r12
	movq	104(%rdi), %r13
	movq	112(%rdi), %r14
	movq	120(%rdi), %r15
	movq	40(%rdi), %rdi
	cmpq	%rbx, %rcx		/* flags */
990:	nop
	movl	$STATE_NEXT, %eax
	lahf
	seto	%al
	xchgq	%rax, (%rsp)
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
	each	store_ymm
	each	store_red
	pushfq
	cld
	popq	%rcx
	andl	$0x400, %ecx
	shll	$6, %ecx
	popq	%rbx
	movzwl	%bx, %ebx
	orl	%ecx, %ebx
	movq	%rbx, 768(%rax)
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	vzeroupper
	ret
	.cfi_endproc
	.size	probe_state, . - probe_state

	.section .note.stapsdt, "", "note"
	.balign	4
	.4byte	992f - 991f, 994f - 993f, 3
991:	.asciz	"stapsdt"
992:	.balign	4
993:	.8byte	990b, 0, 0
	.asciz	"ware"
	.asciz	"state"
	.asciz	"8@%rbx 8@%rcx 8@%rdx 8@%rsi 8@%rdi 8@%rbp 8@%r8 8@%r9 8@%r10 8@%r11 8@%r12 8@%r13 8@%r14 8@%r15"
994:	.balign	4
	.section .note.GNU-stack, "", @progbits
