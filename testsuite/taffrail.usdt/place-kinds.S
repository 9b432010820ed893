/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * uint64_t kind_NAME(uint64_t a, uint64_t b): a probe place/NAME with both as
 * arguments, before instructions of all kinds that have to move. The four bytes
 * behind each nop are an offset of less than 128 MB upwards, where the
 * program's own memory is (`room`), so that no jump can be made of the nop
 * alone. Two probes side by side are beside/NAME_first and beside/NAME_second;
 * those of trap/... are in places that are not for jumps.
 */
	.macro	probe name, provider=place
990:	nop
	.pushsection .note.stapsdt, "", "note"
	.balign	4
	.4byte	992f - 991f, 994f - 993f, 3
991:	.asciz	"stapsdt"
992:	.balign	4
993:	.8byte	990b, 0, 0
	.asciz	"\provider"
	.asciz	"\name"
	.asciz	"8@%rdi 8@%rsi"
994:	.balign	4
	.popsection
	.endm

	.macro	function name
	.text
	.balign	16
	.globl	kind_\name
	.type	kind_\name, @function
kind_\name:
	.cfi_startproc
	.endm

	.macro	end name
	.cfi_endproc
	.size	kind_\name, . - kind_\name
	.endm

/* one instruction: a + b */
	function one
	xorl	%eax, %eax
	probe	one
	movl	$0, %eax
	leaq	(%rdi,%rsi), %rax
	ret
	end	one

/* two: 3 and 2 bytes */
	function two
	probe	two
	movq	%rdi, %rax
	addl	%esi, %eax
	ret
	end	two

/* three: 1, 1 and 2 bytes */
	function three
	leaq	-5(%rdi,%rsi), %rax
	probe	three
	pushq	%rax
	popq	%rax
	addb	$5, %al
	ret
	end	three

/* 2 and 6 bytes */
	function split
	movq	%rdi, %rdx
	probe	split
	xorl	%eax, %eax
	addq	$0x100, %rax
	leaq	-0x100(%rax,%rdx), %rax
	addq	%rsi, %rax
	ret
	end	split

/* an operand relative to the next instruction */
	function data
	movq	%rdi, %xmm1
	probe	data
	movdqa	five(%rip), %xmm0
	paddq	%xmm1, %xmm0
	movq	%xmm0, %rax
	leaq	-5(%rax,%rsi), %rax
	ret
	end	data

	function condition
	leaq	(%rdi,%rsi), %rax
	testq	%rdi, %rdi
	probe	condition
	.byte	0x0f, 0x84		/* je, with an operand of 32 bits */
	.4byte	1f - . - 4
	ret
	.skip	0x40, 0xcc
1:	leaq	1(%rax), %rax
	ret
	end	condition

	function jump
	leaq	(%rdi,%rsi), %rax
	probe	jump
	.byte	0xe9
	.4byte	1f - . - 4
	.skip	0x40, 0xcc
1:	ret
	end	jump

/* An exception goes through it, and through the one that it calls. */
	function thrown
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_offset rbx, -16
	movq	%rdi, %rbx
	probe	thrown
	.byte	0xe8
	.4byte	1f - . - 4
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	ret
	end	thrown

	.balign	16
	.cfi_startproc
1:	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	*place_throw(%rip)
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc

/* its caller is found by what is on the stack */
	function call
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_offset rbx, -16
	movq	%rdi, %rbx
	probe	call
	.byte	0xe8
	.4byte	called - . - 4
	addq	%rbx, %rax
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	ret
	end	call

	.type	called, @function
called:
	.cfi_startproc
	movq	(%rsp), %rdx
	leaq	called(%rip), %rax
	cmpq	%rax, %rdx		/* from before, and not far */
	ja	1f
	subq	$0x40, %rax
	cmpq	%rax, %rdx
	jb	1f
	movq	%rsi, %rax
	ret
1:	xorl	%eax, %eax
	ret
	.cfi_endproc
	.size	called, . - called

/* something jumps behind the nop */
	function joined
	movq	%rsi, %rax
	movl	$3, %ecx
	probe	joined
1:	.byte	0x81, 0xc0, 0, 0, 0, 0	/* addl $0, %eax */
	.byte	0x48, 0xff, 0xc9	/* dec */
	jnz	1b
	addq	%rdi, %rax
	ret
	end	joined

/* to two instructions */
	function twice
	movq	%rsi, %rax
	movl	$4, %edx
	probe	twice
1:	xorl	%ecx, %ecx
2:	.byte	0x05, 0, 0, 0, 0	/* addl $0, %eax */
	decl	%edx
	jz	3f
	testl	$1, %edx
	jz	1b
	jmp	2b
3:	leaq	(%rax,%rdi), %rax
	ret
	end	twice

/* past a prefix: it stays as it is */
	function inner
	leaq	(%rdi,%rsi), %rax
	movl	$3, %edx
	probe	inner
1:	.byte	0x3e, 0x81, 0xc1, 0, 0, 0, 0	/* ds addl $0, %ecx */
	decl	%edx
	jnz	1b + 1
	ret
	end	inner

/* two side by side */
	function pair
	leaq	(%rdi,%rsi), %rax
	probe	pair_first, beside
	probe	pair_second, beside
	movl	$3, %ecx
	ret
	end	pair

/* the second follows two bytes later, and something jumps to it alone: not
 * always, never, twice for each time that the first is passed */
	function skipped
	leaq	(%rdi,%rsi), %rax
	testq	%rsi, %rsi
	jnz	1f
	probe	skipped_first, beside
	xorl	%edx, %edx
1:	probe	skipped_second, beside
	movl	$3, %ecx
	ret
	end	skipped

	function near
	leaq	(%rdi,%rsi), %rax
	testq	%rsi, %rsi
	jz	1f
	probe	near_first, beside
	xorl	%edx, %edx
1:	probe	near_second, beside
	movl	$3, %ecx
	ret
	end	near

	function apart
	leaq	(%rdi,%rsi), %rax
	movl	$3, %ecx
	probe	apart_first, beside
	xorl	%edx, %edx
1:	probe	apart_second, beside
	.byte	0x81, 0xe9, 1, 0, 0, 0	/* subl $1, %ecx */
	jnz	1b
	ret
	end	apart

/* no jump is for these: its frame has handlers that nobody can read; a system
 * call; and the first of three side by side */
	function handles
	.cfi_lsda 0x1b, five
	probe	handles, trap
	movl	$0, %eax
	leaq	(%rdi,%rsi), %rax
	ret
	end	handles

	function system
	movl	$39, %eax		/* getpid */
	probe	system, trap
	syscall
	movl	$0, %eax
	leaq	(%rdi,%rsi), %rax
	ret
	end	system

	function row
	leaq	(%rdi,%rsi), %rax
	probe	row_first, trap
	probe	row_second, trap
	probe	row_third, trap
	movl	$3, %ecx
	ret
	end	row

	.bss
	.globl	room
	.type	room, @object
	.balign	16
room:	.skip	160 << 20
	.size	room, . - room

	.data
	.globl	place_throw		/* called by kind_thrown */
	.type	place_throw, @object
	.balign	8
place_throw: .8byte 0
	.size	place_throw, 8

	.section .rodata
	.balign	16
five:	.8byte	5, 0

	.section .note.GNU-stack, "", @progbits
