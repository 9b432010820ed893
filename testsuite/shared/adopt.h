/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A probe as sys/sdt.h makes it, followed by an address at which nothing is
 * mapped. The next instruction must have five bytes, and the compiler must not
 * put anything in between.
 */
#ifndef TESTSUITE_ADOPT_H
#define TESTSUITE_ADOPT_H

/* What follows it: for a jump half a gigabyte before the code; 0: into the
 * code itself, so that it has to move. */
#ifndef ADOPT_NEXT
#define ADOPT_NEXT	"0xe00000"
#endif

/* nop; movl $imm, %eax */
#define ADOPT_NOP(provider, name, semaphore, operands)			\
	"990:	nop\n\t"						\
	"movl	$" ADOPT_NEXT ", %%eax\n\t"				\
	".pushsection .note.stapsdt, \"\", \"note\"\n\t"		\
	".balign 4\n\t"							\
	".4byte 992f-991f, 994f-993f, 3\n"				\
	"991:	.asciz \"stapsdt\"\n"					\
	"992:	.balign 4\n"						\
	"993:	.8byte 990b, 0, " semaphore "\n\t"			\
	".asciz \"" provider "\"\n\t"					\
	".asciz \"" name "\"\n\t"					\
	".asciz \"" operands "\"\n"					\
	"994:	.balign 4\n\t"						\
	".popsection\n\t"

#endif
