/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds out which vector state to keep (control/threads/vectors.h).
 */
#include "control/threads/vectors.h"

#include <cpuid.h>

#include "base/base.h"

#define KEEP_MASK	0xe7u	/* x87, SSE, AVX, AVX-512 */
#define CPUID_OSXSAVE	(1u << 27)
#define CPUID_XSAVEC	(1u << 1)

uint32_t vectors_state;
uint32_t vectors_mask;
uint32_t vectors_compact;
uint32_t vectors_offsets[8];

#define HEADER_END	576u		/* of XSAVE's area */
#define COMPONENT_ALIGNED 2u		/* in the compacted form, to 64 */

/* Finds the places of the components from AVX on. */
static void offsets_setup(void)
{
	uint32_t next = HEADER_END;
	uint32_t i;

	for (i = 2; i < ARRAY_SIZE(vectors_offsets); i++) {
		uint32_t bytes = 0, offset, flags, d;

		if (!(vectors_mask & 1u << i))
			continue;
		__cpuid_count(0xd, i, bytes, offset, flags, d);
		if (vectors_compact && flags & COMPONENT_ALIGNED)
			next = (next + 63) & ~63u;
		if (vectors_compact)
			offset = next;
		next += bytes;
		if (offset + bytes <= VECTORS_BYTES)
			vectors_offsets[i] = offset;
	}
}

/* Start-up calls it, and nothing writes these words after that. */
SIGSAFE void vectors_setup(void)
{
	/* each CPUID is a trap where the processor is a virtual one */
	uint32_t leaves = __get_cpuid_max(0, NULL);
	uint32_t a, b, c, d;

	if (!leaves)
		return;
	__cpuid(1, a, b, c, d);
	if (!(c & CPUID_OSXSAVE))
		return;
	__asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	vectors_state = a;
	vectors_mask = vectors_state & KEEP_MASK;
	if (leaves < 0xd)
		return;
	__cpuid_count(0xd, 1, a, b, c, d);
	vectors_compact = a & CPUID_XSAVEC;
	if (!vectors_offsets[2])
		offsets_setup();
}
