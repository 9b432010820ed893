/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions that gdbserver's jump pads, and stubs of sites, call.
 */
	.text

/* ipa_collect_entry(point, registers): a jump pad pushes registers without
 * aligning the stack, and does not keep x87, SSE and AVX state. */
	.balign	16
	.globl	ipa_collect_entry
	.hidden	ipa_collect_entry
	.type	ipa_collect_entry, @function
ipa_collect_entry:
	endbr64
	movq	%rsi, %rdx
	movq	%rdi, %rsi
	leaq	ipa_collect(%rip), %rdi
	jmp	vectors_kept
	.size	ipa_collect_entry, . - ipa_collect_entry

/*
 * ipa_snapshot_entry is called as snapshot_entry, and goes on there. When a
 * trace runs, and the site's hit will collect registers, it keeps the vector
 * registers. It changes no register, and no flag.
 */
	.macro	vectors how
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.ifc	\how, save
	movaps	%xmm\n, 16 * \n(%rsp)
	.else
	movaps	16 * \n(%rsp), %xmm\n
	.endif
	.endr
	.endm

	.balign	16
	.globl	ipa_snapshot_entry
	.hidden	ipa_snapshot_entry
	.type	ipa_snapshot_entry, @function
ipa_snapshot_entry:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_def_cfa %rsp, 8 + 128
	.cfi_offset %rip, -8 - 128
	endbr64
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rcx, 0
	movq	gdb_agent_tracing@GOTPCREL(%rip), %rcx
	movl	(%rcx), %ecx
	jrcxz	1f
	jmp	3f
1:	.cfi_remember_state
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rcx
	jmp	snapshot_entry
	.cfi_restore_state
3:	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushfq
	pushq	%rax
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	cld
	movq	16(%rbp), %rdi		/* where the stub's call returns to */
	subq	$256, %rsp
	andq	$-16, %rsp
	/* C code here uses no AVX, so the upper halves stay */
	vectors	save
	call	ipa_wants_registers
	vectors	load
	testl	%eax, %eax
	jz	2f
	leaq	ipa_keep(%rip), %rdi
	leaq	24 + 128(%rbp), %rsi	/* rsp at the site */
	call	vectors_kept
2:	leaq	-72(%rbp), %rsp
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rax
	popfq
	popq	%rbp
	.cfi_def_cfa %rsp, 16 + 128
	.cfi_restore %rbp
	jmp	1b
	.cfi_endproc
	.size	ipa_snapshot_entry, . - ipa_snapshot_entry
	.section .note.GNU-stack, "", @progbits
