/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The four operations on doubles. All exceptions are masked, results are
 * rounded to nearest, and the thread's MXCSR is restored afterwards.
 */
#ifndef TRACEPOINTS_FIELDS_AX_DOUBLE_X86_64_H
#define TRACEPOINTS_FIELDS_AX_DOUBLE_X86_64_H

#include <stdint.h>

#define DOUBLE_OPERATION(name, instruction)				\
static inline uint64_t name(uint64_t a, uint64_t b)			\
{									\
	const uint32_t ours = 0x1f80;	/* its value at start */	\
	uint32_t theirs;						\
									\
	__asm__ volatile("stmxcsr %[theirs]\n\t"			\
			 "ldmxcsr %[ours]\n\t"				\
			 "movq %[a], %%xmm0\n\t"			\
			 "movq %[b], %%xmm1\n\t"			\
			 instruction " %%xmm1, %%xmm0\n\t"		\
			 "movq %%xmm0, %[a]\n\t"			\
			 "ldmxcsr %[theirs]\n\t"			\
			 : [a] "+r"(a), [theirs] "=&m"(theirs)		\
			 : [b] "r"(b), [ours] "m"(ours)			\
			 : "xmm0", "xmm1");				\
	return a;							\
}

DOUBLE_OPERATION(double_add, "addsd")
DOUBLE_OPERATION(double_sub, "subsd")
DOUBLE_OPERATION(double_mul, "mulsd")
DOUBLE_OPERATION(double_div, "divsd")

#undef DOUBLE_OPERATION

#endif
