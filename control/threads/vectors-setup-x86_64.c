/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out which vector state to keep (control/threads/vectors.h). */
#include "control/threads/vectors.h"

#include <cpuid.h>

#include "base/base.h"

#define KEEP_MASK	0xe7u	/* x87, SSE, AVX, AVX-512 */
#define CPUID_OSXSAVE	(1u << 27)
#define CPUID_XSAVEC	(1u << 1)

uint32_t vectors_state;
uint32_t vectors_mask;
uint32_t vectors_compact;

SIGSAFE void vectors_setup(void)
{
	uint32_t a = 0, b, c = 0, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & CPUID_OSXSAVE))
		return;
	__asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	vectors_state = a;
	if (__get_cpuid_count(0xd, 1, &a, &b, &c, &d))
		vectors_compact = a & CPUID_XSAVEC;
	vectors_mask = vectors_state & KEEP_MASK;
}
