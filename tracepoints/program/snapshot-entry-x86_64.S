/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * snapshot_entry, which a site's stub calls to store the registers, and the
 * places of each thread for them; see snapshot.h.
 *
 * At entry the stub's return address is on the stack, above the red zone of
 * the function that the site is in:
 *
 *	rsp at the site	-> | ...            |
 *			   | red zone, 128  |
 *			   | return address |
 *	rsp here	-> +----------------+
 *
 * All registers are as at the site, and are so again at the end, except for the
 * flags, which a site may change. For unwinders and debuggers this is a frame
 * like the stub's (taffrail/site-x86_64.h): they look up the caller at the
 * address where it goes on. There rsp is no longer below the red zone.
 */
#define GENERAL(n)	(8 * (n))
#define BEHIND		128
#define SITE		136
#define FLAGS		144
#define NUMBER		148
#define BYTES		152
#define NEXT		(8 * BYTES)
#define AREA		(8 * BYTES + 8)
#define SITE_SNAPSHOT	88		/* offset in struct taffrail_site */

	.text
	.globl	snapshot_entry
	.hidden	snapshot_entry
	.type	snapshot_entry, @function
	.balign	16
snapshot_entry:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_def_cfa %rsp, 8 + 128
	.cfi_offset %rip, -8 - 128
	endbr64
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rax, 0
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rcx, 0
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rdx, 0
	pushfq
	.cfi_adjust_cfa_offset 8

	/* takes a place in one instruction: a handler then takes another */
	movq	snapshot_area@gottpoff(%rip), %rax
	movl	$1, %ecx
	xaddl	%ecx, %fs:NEXT(%rax)
	movl	%ecx, %edx
	andl	$7, %ecx
	imulq	$BYTES, %rcx, %rcx
	addq	%rcx, %rax
	addq	%fs:0, %rax		/* shorter code than by %fs below */

	movl	%edx, NUMBER(%rax)
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	movl	%ecx, FLAGS(%rax)
	movq	(%rsp), %rcx
	movq	%rcx, GENERAL(3)(%rax)	/* rdx */
	movq	8(%rsp), %rcx
	movq	%rcx, GENERAL(2)(%rax)	/* rcx */
	movq	16(%rsp), %rcx
	movq	%rcx, GENERAL(0)(%rax)	/* rax */
	movq	%rbx, GENERAL(1)(%rax)
	movq	%rsi, GENERAL(4)(%rax)
	movq	%rdi, GENERAL(5)(%rax)
	movq	%rbp, GENERAL(6)(%rax)
	leaq	24 + 8 + 128(%rsp), %rcx
	movq	%rcx, GENERAL(7)(%rax)	/* rsp */
	movq	%r8, GENERAL(8)(%rax)
	movq	%r9, GENERAL(9)(%rax)
	movq	%r10, GENERAL(10)(%rax)
	movq	%r11, GENERAL(11)(%rax)
	movq	%r12, GENERAL(12)(%rax)
	movq	%r13, GENERAL(13)(%rax)
	movq	%r14, GENERAL(14)(%rax)
	movq	%r15, GENERAL(15)(%rax)

	/* the call's operand names the site */
	movq	24(%rsp), %rcx
	movq	%rcx, BEHIND(%rax)
	movslq	-4(%rcx), %rdx
	leaq	-SITE_SNAPSHOT(%rcx, %rdx), %rdx
	movq	%rdx, SITE(%rax)

	popq	%rdx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rdx
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rcx
	popq	%rax
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rax
	ret	$128
	.cfi_endproc
	.size	snapshot_entry, . - snapshot_entry

	.section .tbss, "awT", @nobits
	.globl	snapshot_area
	.hidden	snapshot_area
	.type	snapshot_area, @object
	.balign	8
snapshot_area:
	.zero	AREA
	.size	snapshot_area, AREA

	.section .note.GNU-stack, "", @progbits
