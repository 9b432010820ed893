/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The time stamp counter. Facts: Intel SDM volume 3, "Time-Stamp Counter";
 * CPUID leaves 80000007H (EDX bit 8: invariant) and 15H (crystal ratio).
 */
#ifndef BUFFERS_CLOCK_X86_64_H
#define BUFFERS_CLOCK_X86_64_H

#include <cpuid.h>
#include <stdint.h>

#include "base/host.h"

/* The vDSO's clock_gettime; see vdso(7). */
#define CLOCK_VDSO_GETTIME	"__vdso_clock_gettime"

static inline uint64_t clock_read_tsc(void)
{
	uint32_t low;
	uint32_t high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static inline bool clock_tsc_invariant(void)
{
	uint32_t out[4];

	return host_leaf_read(out, HOST_LEAF_80000007, 0x80000007, 0) &&
	       (out[3] & (1u << 8));
}

/* Returns the frequency that CPUID tells, or 0. */
static inline uint64_t clock_tsc_nominal_hz(void)
{
	unsigned int a, b, c, d;

	if (!__get_cpuid(0x15, &a, &b, &c, &d) || !a || !b || !c)
		return 0;
	return (uint64_t)c * b / a;
}

#endif
