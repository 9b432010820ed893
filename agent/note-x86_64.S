/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A note by which a static program that has the agent is told from others
 * before it is executed (tracepoints/program/executable.c).
 */
	.section .note.taffrail-agent, "a", @note
	.balign	4
	.long	2f - 1f			/* the owner's name, no descriptor */
	.long	0
	.long	1
1:	.asciz	"taffrail-agent"
2:	.balign	4

	.section .note.GNU-stack, "", @progbits
