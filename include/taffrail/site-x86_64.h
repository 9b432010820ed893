/* SPDX-License-Identifier: MIT */
/*
 * A site on x86-64: two harmless instructions, of which the agent changes one
 * byte (see taffrail/site.h), a stub out of line, and the two notes.
 *
 * Invariants:
 *  - no memory is read and no register written while the site is off: `test`
 *    with an immediate only sets flags, which the compiler knows ("cc");
 *  - every word that refers to another place is relative to itself, so not
 *    even position-independent code needs a text relocation;
 *  - the sections of stub and note carry the flag "?": they join the COMDAT
 *    group of the function that holds the site, and are discarded with it
 *    (marker-sections.h);
 *  - the stub can detour through struct taffrail_site's `snapshot`, which one
 *    byte switches. On the detour no register but the flags has changed since
 *    the site, and the red zone is kept.
 */
#ifndef TAFFRAIL_SITE_X86_64_H
#define TAFFRAIL_SITE_X86_64_H

#include <taffrail/marker-sections.h>

#define TAFFRAIL_SITE_FLAGS_	0

/*
 * 990: the site's address; 991: the byte that changes; 992: the stub.
 *
 *	992:	test $5, %al		a8 05; jmp 994f (eb 05) while the agent
 *					takes snapshots here
 *	993:	jmp  hit
 *	994:	lea  -128(%rsp), %rsp
 *		call *object->snapshot	returns by `ret $128`
 *		jmp  993b
 *		.long 990b - .		the call's return address leads here
 *
 * Words and bytes mean the same in both syntaxes (-masm=intel).
 */
#define TAFFRAIL_SITE_CODE_						\
	TAFFRAIL_SITE_LABEL_						\
	"990:	nop\n"							\
	"991:	.byte	0xa9\n"						\
	"	.long	992f - 991b - 5\n"				\
	".pushsection " TAFFRAIL_STUB_SECTION_ "\n"			\
	"	.balign	32\n"						\
	"992:	.byte	0xa8, 5\n"					\
	"993:	.byte	0xe9\n"						\
	"	.long	%l[taffrail_hit_] - . - 4\n"			\
	"994:	.byte	0x48, 0x8d, 0x64, 0x24, -128\n"			\
	"	.byte	0xff, 0x15\n"					\
	"	.long	" TAFFRAIL_OBJECT_NAME_ " + 88 - . - 4\n"	\
	"	.byte	0xeb, 993b - . - 1\n"				\
	"	.long	990b - .\n"					\
	".popsection\n"							\
	".pushsection " TAFFRAIL_NOTE_SECTION_ "\n"			\
	"	.balign	4\n"						\
	"	.long	9, 16, 1\n"					\
	"	.asciz	\"taffrail\"\n"					\
	"	.balign	4\n"						\
	"	.long	990b - .\n"					\
	"	.long	" TAFFRAIL_OBJECT_NAME_ " - .\n"		\
	"	.long	992b - .\n"					\
	"	.long	0\n"						\
	".popsection\n"

/*
 * The frame of the stub, for debuggers and for handlers of signals that unwind:
 * it has no bytes (128 around the call), and the caller is the target of the
 * jump at 993. The target is read from the code, so all stubs have the same
 * description of 64 bytes: each file has one, of which the linker keeps one,
 * and 32 bytes for each stub.
 *
 *	8 bytes from (pc & -32) + 3; + 2^31, & 2^32 - 1 -> the operand + 2^31
 *	+ (pc - 2^31 & -32) + 7                         -> where it leads to
 *
 * The four bytes read behind the operand are the stub's. valgrind knows these
 * operators, and none that extends a sign.
 *
 * Facts: DWARF 5, 6.4 and 2.5; .eh_frame in the Linux Standard Base 5.0. "S",
 * as for frames of signals: the caller goes on at this very instruction, and
 * debuggers that step pass through.
 */
#define TAFFRAIL_SITE_FRAME_						\
	".pushsection .eh_frame,\"a\",@progbits\n"			\
	".ifndef .Ltaffrail_frame_\n"					\
	".Ltaffrail_frame_:\n"						\
	"	.long	982f - 981f\n"					\
	"981:	.long	0\n"						\
	"	.byte	1\n"						\
	"	.asciz	\"zRS\"\n"					\
	"	.byte	1, 0x78, 16, 1, 0x1b\n"/* pc: 4 bytes, from here */ \
	"	.byte	0x0c, 7, 0\n"		/* def_cfa rsp + 0 */	\
	"	.byte	0x16, 16, 31\n"	/* val_expression of rip */	\
	"	.byte	0x80, 0, 0x09, 0xe0, 0x1a\n"	/* breg16 & -32 */ \
	"	.byte	0x23, 3, 0x06\n"	/* plus_uconst 3; deref */ \
	"	.byte	0x31, 0x08, 31, 0x24\n" /* lit1; const1u 31; shl */ \
	"	.byte	0x22, 0x0c, -1, -1, -1, -1, 0x1a\n" /* plus; and */ \
	"	.byte	0x80, 0x80, 0x80, 0x80, 0x80, 0x78\n" /* breg16 - 2^31 */ \
	"	.byte	0x09, 0xe0, 0x1a\n"	/* const1s -32; and */	\
	"	.byte	0x22, 0x23, 7\n"	/* plus; plus_uconst 7 */ \
	"	.balign	8\n"						\
	"982:\n"							\
	".endif\n"							\
	"	.long	984f - 983f\n"					\
	"983:	.long	983b - .Ltaffrail_frame_, 992b - ., 20\n"	\
	"	.byte	0\n"						\
	"	.byte	0x40 + 12, 0x0e, 128, 1\n" /* + 12: rsp + 128 */ \
	"	.byte	0x40 + 6, 0x0e, 0\n"	/* + 18: rsp + 0 */	\
	"	.balign	8\n"						\
	"984:\n"							\
	".popsection\n"

/* clang up to 16 takes no array of variable length between two markers of a C
 * function: an asm goto there may jump to every label. The error names this. */
#define TAFFRAIL_ARRAY_BETWEEN_MARKERS_NEEDS_TAFFRAIL_FLAG_SITES_	__asm__

/*
 * Falls through while the site is off; goes to the label taffrail_hit_ of the
 * surrounding block when it is on. sdt is the text of the USDT note; ... are
 * the operands, each with a comma before it.
 */
#define TAFFRAIL_SITE_(object, sdt, ...)				\
	TAFFRAIL_ARRAY_BETWEEN_MARKERS_NEEDS_TAFFRAIL_FLAG_SITES_	\
	TAFFRAIL_ASM_INLINE_ goto(TAFFRAIL_SITE_CODE_			\
		TAFFRAIL_SITE_FRAME_ sdt				\
		: : [taffrail_object_] TAFFRAIL_FIXED_ (&(object))	\
		__VA_ARGS__						\
		: "cc" : taffrail_hit_)

#endif
