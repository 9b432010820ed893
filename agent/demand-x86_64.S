/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rt_sigreturn(2), which the agent's signal handler returns to (demand.c), in
 * the bytes by which unwinders and debuggers know the frame of a handler. They
 * look for them where a description of the code is missing, and look for the
 * caller one byte before the return address: hence the nop.
 */
	.text
	.globl	demand_restore
	.hidden	demand_restore
	.type	demand_restore, @function
	.balign	16
	nop
demand_restore:
	movq	$15, %rax
	syscall
	.size	demand_restore, . - demand_restore
	.section .note.GNU-stack, "", @progbits
