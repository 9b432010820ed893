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
 *
 * Most sites have no tracepoint, so this looks itself: it finds the marker, as
 * ipa_marker_find() does, and the first byte of the marker's cell. A jump there
 * may lead to tracepoints; ipa_wants_registers() knows.
 */
#define SNAPSHOT_SITE	2	/* snapshot.h */
#define MARKER_SHIFT	5	/* struct ipa_marker, and its members */
#define MARKER_ADDRESS	0
#define MARKER_CELL	28
#define CELL_SHIFT	4	/* struct ipa_cell */
#define CELL_JUMP	0xe9
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
	/* order: IPA_TRACING acquire */
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
	pushq	%rax
	pushq	%rdx
	lahf
	seto	%al
	pushq	%rax			/* flags that the search changes */
	movq	16(%rbp), %rcx		/* where the stub's call returns to */
	movslq	SNAPSHOT_SITE(%rcx), %rdx
	leaq	SNAPSHOT_SITE + 1(%rcx, %rdx), %rax
	movabsq	$0x9e3779b97f4a7c15, %rdx
	imulq	%rax, %rdx
	shrq	$40, %rdx
4:	movzwl	%dx, %ecx
	shlq	$MARKER_SHIFT, %rcx
	addq	ipa_markers(%rip), %rcx
	/* order: IPA_MARKER acquire */
	cmpq	%rax, MARKER_ADDRESS(%rcx)
	je	5f
	incl	%edx
	cmpq	$0, MARKER_ADDRESS(%rcx)
	jne	4b
6:	popq	%rax
	addb	$127, %al
	sahf
	popq	%rdx
	popq	%rax
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa %rsp, 16 + 128
	.cfi_restore %rbp
	jmp	1b
	.cfi_restore_state
5:	movslq	MARKER_CELL(%rcx), %rcx
	testl	%ecx, %ecx
	js	6b
	movq	taffrail_ipa_cells@GOTPCREL(%rip), %rdx
	shlq	$CELL_SHIFT, %rcx
	addq	(%rdx), %rcx
	cmpb	$CELL_JUMP, (%rcx)
	jne	6b

	popq	%rax
	addb	$127, %al
	sahf
	pushfq				/* all flags, as at the site */
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	cld
	leaq	24 + 128(%rbp), %rax	/* rsp at the site */
	movq	-24(%rbp), %rdx		/* flags */
	movq	16(%rbp), %rdi		/* where the stub's call returns to */
	subq	$128 + 256, %rsp
	andq	$-16, %rsp
	movq	%rsi, 256 + 8 * 4(%rsp)	/* in the order of struct registers */
	movq	%rax, 256 + 8 * 7(%rsp)
	movq	-8(%rbp), %rax
	movq	%rax, 256 + 8 * 0(%rsp)
	movq	%rbx, 256 + 8 * 1(%rsp)
	movq	8(%rbp), %rax
	movq	%rax, 256 + 8 * 2(%rsp)	/* rcx */
	movq	-16(%rbp), %rax
	movq	%rax, 256 + 8 * 3(%rsp)	/* rdx */
	movq	-40(%rbp), %rax
	movq	%rax, 256 + 8 * 5(%rsp)	/* rdi */
	movq	(%rbp), %rax
	movq	%rax, 256 + 8 * 6(%rsp)	/* rbp */
	movq	%r8, 256 + 8 * 8(%rsp)
	movq	%r9, 256 + 8 * 9(%rsp)
	movq	%r10, 256 + 8 * 10(%rsp)
	movq	%r11, 256 + 8 * 11(%rsp)
	movq	%r12, 256 + 8 * 12(%rsp)
	movq	%r13, 256 + 8 * 13(%rsp)
	movq	%r14, 256 + 8 * 14(%rsp)
	movq	%r15, 256 + 8 * 15(%rsp)
	leaq	256(%rsp), %rsi
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
	popfq
	popq	%rdx
	popq	%rax
	popq	%rbp
	.cfi_def_cfa %rsp, 16 + 128
	.cfi_restore %rbp
	jmp	1b
	.cfi_endproc
	.size	ipa_snapshot_entry, . - ipa_snapshot_entry
	.section .note.GNU-stack, "", @progbits
