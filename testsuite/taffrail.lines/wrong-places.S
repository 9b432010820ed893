/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program with debug information as compilers write it of optimised code
 * where they are wrong. Its source is places.c, which does not exist.
 */
#ifndef PRODUCER
#define PRODUCER "clang version 14.0.6"
#endif
	.text
	.globl	main
	.type	main, @function
main:
	.cfi_startproc
	.file	1 "places.c"
	.loc	1 3 0
	sub	$24, %rsp
	.cfi_def_cfa_offset 32
	movl	$41, 8(%rsp)
	mov	$0x66, %ecx
	mov	$0x67, %edx
	movb	$2, 12(%rsp)
	.loc	1 7 0
.Lseven:
	lea	8(%rsp), %rsi
	xor	%eax, %eax
	.loc	1 8 0
	add	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.Lend:
	.size	main, . - main

	.section .debug_abbrev, "", @progbits
.Labbrev:
	.uleb128 1, 0x11		/* compile unit, with children */
	.byte	1
	.uleb128 0x25, 0x8		/* producer, string */
	.uleb128 0x3, 0x8		/* name, string */
	.uleb128 0x10, 0x17		/* stmt_list, sec_offset */
	.uleb128 0x11, 0x1		/* low_pc, addr */
	.uleb128 0x12, 0x7		/* high_pc, data8 */
	.uleb128 0, 0
	.uleb128 2, 0x2e		/* subprogram, with children */
	.byte	1
	.uleb128 0x3, 0x8
	.uleb128 0x11, 0x1
	.uleb128 0x12, 0x7
	.uleb128 0x40, 0x18		/* frame_base, exprloc */
	.uleb128 0, 0
	.uleb128 3, 0x34		/* variable */
	.byte	0
	.uleb128 0x3, 0x8
	.uleb128 0x49, 0x13		/* type, ref4 */
	.uleb128 0x2, 0x18		/* location, exprloc */
	.uleb128 0x3b, 0xb		/* decl_line, data1 */
	.uleb128 0, 0
	.uleb128 4, 0x24		/* base type */
	.byte	0
	.uleb128 0x3, 0x8
	.uleb128 0xb, 0xb		/* byte_size, data1 */
	.uleb128 0x3e, 0xb		/* encoding, data1 */
	.uleb128 0, 0
	.uleb128 5, 0xf			/* pointer */
	.byte	0
	.uleb128 0xb, 0xb
	.uleb128 0x49, 0x13
	.uleb128 0, 0
	.uleb128 6, 0x34		/* variable with a list */
	.byte	0
	.uleb128 0x3, 0x8
	.uleb128 0x49, 0x13
	.uleb128 0x2, 0x17		/* location, sec_offset */
	.uleb128 0x3b, 0xb
	.uleb128 0, 0
	.uleb128 0

	.macro	variable name, type, place:vararg
	.uleb128 3
	.string	"\name"
	.long	\type - .Linfo
	.uleb128 9f - 8f
8:	.byte	\place
9:	.byte	4
	.endm

	.macro	listed name, list
	.uleb128 6
	.string	"\name"
	.long	.Lint - .Linfo
	.long	\list
	.byte	4
	.endm

	/* from the program's beginning on: what DW_OP_consts says */
	.macro	constant from, to, number
	.quad	\from - main, \to - main
	.value	3
	.byte	0x11, \number, 0x9f
	.endm

	.section .debug_info, "", @progbits
.Linfo:
	.long	.Lafter - .Lversion
.Lversion:
	.value	4
	.long	.Labbrev
	.byte	8
	.uleb128 1
	.string	PRODUCER
	.string	"places.c"
	.long	.Lline
	.quad	main
	.quad	.Lend - main
.Lint:
	.uleb128 4
	.string	"int"
	.byte	4, 5
.Lbool:
	.uleb128 4
	.string	"_Bool"
	.byte	1, 2
.Lpointer:
	.uleb128 5
	.byte	8
	.long	.Lint - .Linfo
	.uleb128 2
	.string	"main"
	.quad	main
	.quad	.Lend - main
	.uleb128 1
	.byte	0x9c			/* call_frame_cfa */
	/* breg7 is rsp; 0x9f, stack_value */
	variable even, .Lbool, 0x52			/* rcx */
	variable odd, .Lbool, 0x51			/* rdx */
	variable lowest, .Lbool, 0x71, 1, 0x9f		/* breg1 + 1 */
	variable stored, .Lbool, 0x77, 12		/* memory */
	variable loaded, .Lint, 0x77, 8, 0x94, 4, 0x23, 1, 0x9f
	variable slip, .Lint, 0x77, 8, 0x23, 1, 0x9f
	variable framed, .Lint, 0x91, 0x70, 0x9f	/* fbreg - 16 */
	variable leads, .Lpointer, 0x77, 8, 0x9f
	listed late, .Llate
	listed early, .Learly
	listed alone, .Lalone
	listed apart, .Lapart
	.byte	0, 0
.Lafter:

	.section .debug_loc, "", @progbits
.Llate:
	constant main, .Lseven + 1, 1
	constant .Lseven + 1, .Lend, 2
	.quad	0, 0
.Learly:
	constant main, .Lseven, 1
	constant .Lseven, .Lend, 2
	.quad	0, 0
.Lalone:
	constant main, .Lend, 3
	.quad	0, 0
.Lapart:
	constant main, main + 1, 4
	constant .Lseven, .Lend, 5
	.quad	0, 0

	.section .debug_line, "", @progbits
.Lline:
	.section .note.GNU-stack, "", @progbits
