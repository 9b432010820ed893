/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a program that asks for the agent is linked with, before libtaffrail: a
 * reference to the agent. No marker refers to it, and so a linker that was told
 * --as-needed would leave the library out, and the archive's object always.
 * Options around the library's name do not help: build systems move them.
 *
 * The file is an object although its name is that of an archive: linkers go by
 * the content, and take an object as a whole. It has no symbol, and may be
 * linked more than once. A note is kept by --gc-sections. The word is nowhere
 * used; as a branch it costs no look-up at the program's start.
 */
	.section .note.taffrail-link, "a", @note
	.balign	4
	.long	2f - 1f			/* bytes of the owner's name */
	.long	4
	.long	1
1:	.asciz	"taffrail-link"
2:	.balign	4
	.long	taffrail_clock_read@PLT

	.section .note.GNU-stack, "", @progbits
