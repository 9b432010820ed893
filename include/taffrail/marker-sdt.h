/* SPDX-License-Identifier: MIT */
/*
 * The USDT side of a site: a .note.stapsdt record for the nop at label 990, in
 * the form of version 3 as systemtap's <sys/sdt.h> writes it: address, address
 * of the section .stapsdt.base (by which tools correct the first for prelink),
 * address of the semaphore (none), then provider, name and operands. The note
 * is not loaded, so absolute addresses in it cost no relocation.
 */
#ifndef TAFFRAIL_MARKER_SDT_H
#define TAFFRAIL_MARKER_SDT_H

#if defined(__LP64__)
#define TAFFRAIL_SDT_ADDRESS_	".8byte"
#else
#define TAFFRAIL_SDT_ADDRESS_	".4byte"
#endif

/* channel, name and semaphore are string literals; so is operands, which may
 * be several in a row. */
#define TAFFRAIL_SDT_RECORD_(channel, name, operands, semaphore)	\
	".ifndef _.stapsdt.base\n"					\
	".pushsection .stapsdt.base,\"aG\",\"progbits\","		\
		".stapsdt.base,comdat\n"				\
	"	.weak	_.stapsdt.base\n"				\
	"	.hidden	_.stapsdt.base\n"				\
	"_.stapsdt.base:\n"						\
	"	.space	1\n"						\
	"	.size	_.stapsdt.base, 1\n"				\
	".popsection\n"							\
	".endif\n"							\
	".pushsection " TAFFRAIL_SDT_SECTION_ "\n"			\
	"	.balign	4\n"						\
	"	.4byte	994f - 993f, 996f - 995f, 3\n"			\
	"993:	.asciz	\"stapsdt\"\n"					\
	"994:	.balign	4\n"						\
	"995:	" TAFFRAIL_SDT_ADDRESS_ " 990b\n"			\
	"	" TAFFRAIL_SDT_ADDRESS_ " _.stapsdt.base\n"		\
	"	" TAFFRAIL_SDT_ADDRESS_ " " semaphore "\n"		\
	"	.asciz	\"" channel "\"\n"				\
	"	.asciz	\"" name "\"\n"					\
	"	.asciz	\"" operands "\"\n"				\
	"996:	.balign	4\n"						\
	".popsection\n"

#define TAFFRAIL_SDT_NOTE_(channel, name, operands)			\
	TAFFRAIL_SDT_RECORD_(channel, name, operands, "0")

/*
 * The same for a probe that has a semaphore, CHANNEL_NAME_semaphore, which the
 * program defines. Tools find the semaphore in the first note; the agent finds
 * it in a second note (struct taffrail_semaphore). The second note is loaded,
 * so the symbol must be this module's (hidden).
 */
#define TAFFRAIL_SDT_SEMAPHORE_NOTE_(channel, name, operands)		\
	TAFFRAIL_SDT_RECORD_(channel, name, operands,			\
			     channel "_" name "_semaphore")		\
	".hidden " channel "_" name "_semaphore\n"			\
	".pushsection " TAFFRAIL_NOTE_SECTION_ "\n"			\
	"	.balign	4\n"						\
	"	.long	9, 8, 2\n"					\
	"	.asciz	\"taffrail\"\n"					\
	"	.balign	4\n"						\
	"	.long	990b - .\n"					\
	"	.long	" channel "_" name "_semaphore - .\n"		\
	".popsection\n"

/*
 * With TAFFRAIL_SDT_ARGS an argument is evaluated before the site, and the
 * note says where it is: SIZE@OPERAND, the size negative for signed types. It
 * may be wherever the compiler has it ("nor"), as with <sys/sdt.h>. An asm
 * statement takes at most 30 operands, so at most 12 arguments.
 *
 * TAFFRAIL_SDT_TEXT_(I, x) is the text for argument I, counted from the right;
 * TAFFRAIL_SDT_INPUT_(I, bytes, value) are the operands. `bytes` has the
 * opposite sign, because %n prints the operand negated.
 */
#ifdef TAFFRAIL_SDT_ARGS
#define TAFFRAIL_EARLY_(...)	__VA_ARGS__
#define TAFFRAIL_LATE_(...)
#define TAFFRAIL_SDT_MAX_	12
#else
#define TAFFRAIL_EARLY_(...)
#define TAFFRAIL_LATE_(...)	__VA_ARGS__
#define TAFFRAIL_SDT_MAX_	16
#endif

#define TAFFRAIL_SDT_TEXT_(i, x)					\
	"%n[taffrail_n" #i "_]@%[taffrail_a" #i "_]" TAFFRAIL_SPACE##i##_
#define TAFFRAIL_SDT_INPUT_(i, bytes, value)				\
	, [taffrail_n##i##_] "n" (bytes), [taffrail_a##i##_] "nor" (value)

#define TAFFRAIL_SPACE1_	""
#define TAFFRAIL_SPACE2_	" "
#define TAFFRAIL_SPACE3_	" "
#define TAFFRAIL_SPACE4_	" "
#define TAFFRAIL_SPACE5_	" "
#define TAFFRAIL_SPACE6_	" "
#define TAFFRAIL_SPACE7_	" "
#define TAFFRAIL_SPACE8_	" "
#define TAFFRAIL_SPACE9_	" "
#define TAFFRAIL_SPACE10_	" "
#define TAFFRAIL_SPACE11_	" "
#define TAFFRAIL_SPACE12_	" "
#define TAFFRAIL_SPACE13_	" "
#define TAFFRAIL_SPACE14_	" "
#define TAFFRAIL_SPACE15_	" "
#define TAFFRAIL_SPACE16_	" "

#endif
