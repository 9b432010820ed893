/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * handler_stubs: stub N calls handler_call() with the arguments of a signal
 * handler, and N behind them. No frame: handler_call() returns to where the
 * stub would.
 */
#include "callbacks/stubs-private.h"

	.text
	.balign	STUB_BYTES
	.globl	handler_stubs
	.hidden	handler_stubs
	.hidden	handler_call
	.type	handler_stubs, @function
handler_stubs:
	.cfi_startproc
	.set	number, 0
	.rept	STUBS
	.balign	STUB_BYTES
	endbr64
	movl	$number, %ecx
	jmp	handler_call
	.set	number, number + 1
	.endr
	.cfi_endproc
	.size	handler_stubs, . - handler_stubs
	.section .note.GNU-stack, "", @progbits
