/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * call_stubs: stub N calls action_run() with the arguments of a signal
 * handler, and N in the lowest byte of the argument behind them. No frame:
 * action_run() returns to where the stub would.
 */
#include "control/service/action.h"

	.text
	.balign	64
	.globl	call_stubs
	.hidden	call_stubs
	.type	call_stubs, @function
call_stubs:
	.cfi_startproc
	.set	number, 0
	.rept	ACTIONS
	.balign	ACTION_STUB_BYTES
	movb	$number, %cl
	jmp	action_run
	.set	number, number + 1
	.endr
	.cfi_endproc
	.size	call_stubs, . - call_stubs
	.section .note.GNU-stack, "", @progbits
