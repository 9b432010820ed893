/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions on which gdbserver puts breakpoints.
 */
	.text

	.macro	hook name, alias
	.balign	16
	.globl	\name, \alias
	.hidden	\alias
	.type	\name, @function
	.type	\alias, @function
\name:
\alias:
	nop
	ret
	.size	\name, . - \name
	.size	\alias, . - \alias
	.endm

	hook	gdb_agent_stop_tracing, ipa_stop_tracing
	hook	gdb_agent_flush_trace_buffer, ipa_flush
	hook	gdb_agent_about_to_request_buffer_space, ipa_request
	.section .note.GNU-stack, "", @progbits
