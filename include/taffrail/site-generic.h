/* SPDX-License-Identifier: MIT */
/*
 * A site without patching: a load of the object's `enabled` and a branch. For
 * machines that have no site-MACHINE.h, and for -DTAFFRAIL_FLAG_SITES. The
 * nop stays for the USDT probe; the note has TAFFRAIL_SITE_FLAG_TESTED and no
 * stub.
 */
#ifndef TAFFRAIL_SITE_GENERIC_H
#define TAFFRAIL_SITE_GENERIC_H

#include <taffrail/marker-sections.h>

#define TAFFRAIL_SITE_FLAGS_	TAFFRAIL_SITE_FLAG_TESTED

/* Operands are written as in an asm goto. */
#define TAFFRAIL_SITE_CODE_						\
	TAFFRAIL_SITE_LABEL_						\
	"990:	nop\n"							\
	".pushsection " TAFFRAIL_NOTE_SECTION_ "\n"			\
	"	.balign	4\n"						\
	"	.long	9, 16, 1\n"					\
	"	.asciz	\"taffrail\"\n"					\
	"	.balign	4\n"						\
	"	.long	990b - .\n"					\
	"	.long	" TAFFRAIL_OBJECT_NAME_ " - .\n"		\
	"	.long	0\n"						\
	"	.long	1\n"						\
	".popsection\n"

/* As in site-x86_64.h: goes to the label taffrail_hit_ when the site is on. */
#define TAFFRAIL_SITE_(object, sdt, ...)				\
	__asm__ __volatile__(TAFFRAIL_SITE_CODE_ sdt			\
		: : [taffrail_object_] TAFFRAIL_FIXED_ (&(object))	\
		__VA_ARGS__);						\
	if (__builtin_expect((object).site_.enabled_ != 0, 0))		\
		goto taffrail_hit_

#endif
