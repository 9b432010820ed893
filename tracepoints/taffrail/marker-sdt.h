/* SPDX-License-Identifier: MIT */
/*
 * The USDT side of a site: a .note.stapsdt record for the nop at label 990,
 * in the form of version 3 as systemtap's <sys/sdt.h> writes it: address,
 * address of the section .stapsdt.base (by which tools correct the first for
 * prelink), address of the semaphore (none), then provider, name and operands.
 * The note is not loaded, hence its absolute addresses cost no relocation.
 */
#ifndef TAFFRAIL_MARKER_SDT_H
#define TAFFRAIL_MARKER_SDT_H

#if defined(__LP64__)
#define TAFFRAIL_SDT_ADDRESS_	".8byte"
#else
#define TAFFRAIL_SDT_ADDRESS_	".4byte"
#endif

/* channel and name are literals, operands the text of a third one. */
#define TAFFRAIL_SDT_NOTE_(channel, name, operands)			\
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
	".pushsection .note.stapsdt,\"?\",\"note\"\n"			\
	"	.balign	4\n"						\
	"	.4byte	994f - 993f, 996f - 995f, 3\n"			\
	"993:	.asciz	\"stapsdt\"\n"					\
	"994:	.balign	4\n"						\
	"995:	" TAFFRAIL_SDT_ADDRESS_ " 990b\n"			\
	"	" TAFFRAIL_SDT_ADDRESS_ " _.stapsdt.base\n"		\
	"	" TAFFRAIL_SDT_ADDRESS_ " 0\n"				\
	"	.asciz	\"" channel "\"\n"				\
	"	.asciz	\"" name "\"\n"					\
	"	.asciz	\"" operands "\"\n"				\
	"996:	.balign	4\n"						\
	".popsection\n"

#endif
