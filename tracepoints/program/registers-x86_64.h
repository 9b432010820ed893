/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The registers of a thread as gdb has them, and the way in which a thread
 * stores them.
 *
 * Invariant: the first REGISTERS_BLOCK_BYTES of struct registers are gdb's
 * register block, bytes and order; registers_take() stores by number.
 */
#ifndef TRACEPOINTS_PROGRAM_REGISTERS_X86_64_H
#define TRACEPOINTS_PROGRAM_REGISTERS_X86_64_H

#include <stdint.h>

#include "base/base.h"

/* The answer to `g`; gdb asks for the other registers by `p`. A trace file
 * keeps blocks of this size: some readers cannot read longer ones. */
#define REGISTERS_BLOCK_BYTES	164

/* GDB's register numbers, as in the target description. */
#define REGISTER_RIP		16
#define REGISTER_FLAGS		17
#define REGISTER_FS_BASE	58
#define REGISTERS_NUMBERED	60

struct registers {
	uint64_t general[16];	/* rax rbx rcx rdx rsi rdi rbp rsp r8..r15 */
	uint64_t rip;
	uint32_t flags;
	uint32_t segments[6];	/* cs ss ds es fs gs */
	uint64_t fs_base;
};

/* Stores the caller's registers, except rip; see REGISTERS_TAKE. */
static ALWAYS_INLINE void registers_take(struct registers *r)
{
	__asm__ volatile("movq %%rax, 0(%[r])\n\t"
			 "movq %%rbx, 8(%[r])\n\t"
			 "movq %%rcx, 16(%[r])\n\t"
			 "movq %%rdx, 24(%[r])\n\t"
			 "movq %%rsi, 32(%[r])\n\t"
			 "movq %%rdi, 40(%[r])\n\t"
			 "movq %%rbp, 48(%[r])\n\t"
			 "movq %%rsp, 56(%[r])\n\t"
			 "movq %%r8, 64(%[r])\n\t"
			 "movq %%r9, 72(%[r])\n\t"
			 "movq %%r10, 80(%[r])\n\t"
			 "movq %%r11, 88(%[r])\n\t"
			 "movq %%r12, 96(%[r])\n\t"
			 "movq %%r13, 104(%[r])\n\t"
			 "movq %%r14, 112(%[r])\n\t"
			 "movq %%r15, 120(%[r])\n\t"
			 "movl %%cs, %%eax\n\t"
			 "movl %%eax, 140(%[r])\n\t"
			 "movl %%ss, %%eax\n\t"
			 "movl %%eax, 144(%[r])\n\t"
			 "movq %%fs:0, %%rax\n\t"
			 "movq %%rax, 168(%[r])\n"
			 :
			 : [r] "d"(r)
			 : "rax", "memory");
	r->flags = 0x202;	/* interrupts on, as always in user space */
	r->segments[2] = r->segments[3] = 0;
	r->segments[4] = r->segments[5] = 0;
}

/*
 * Stores the registers of the function that uses this macro. The frames of the
 * function and of all callers are right until the function returns. rip is
 * stored outside the inlined function; otherwise gdb would show a frame of that
 * function.
 */
#define REGISTERS_TAKE(r)                                                    \
	do {                                                                 \
		registers_take(r);                                           \
		__asm__ volatile("leaq 0f(%%rip), %0\n0:" : "=r"((r)->rip)); \
	} while (0)

_Static_assert(offsetof(struct registers, rip) == 128, "gdb's block");
_Static_assert(offsetof(struct registers, segments) == 140, "registers_take");
_Static_assert(offsetof(struct registers, fs_base) == 168, "registers_take");

#endif
