/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A note in static programs that have the agent, which is looked for before
 * such a program is executed (tracepoints/program/executable.c).
 */
	.section .note.taffrail-agent, "a", @note
	.balign	4
	.long	2f - 1f			/* bytes of the owner's name */
	.long	0
	.long	1
1:	.asciz	"taffrail-agent"
2:	.balign	4

	.section .note.GNU-stack, "", @progbits
