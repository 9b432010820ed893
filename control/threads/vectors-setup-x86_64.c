/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds out which vector state to keep (control/threads/vectors.h).
 */
#include "control/threads/vectors.h"

#include <cpuid.h>

#include "base/base.h"
#include "base/host.h"

#define KEEP_MASK	0xe7u	/* x87, SSE, AVX, AVX-512 */
#define CPUID_OSXSAVE	(1u << 27)
#define CPUID_XSAVEC	(1u << 1)

uint32_t vectors_state;
uint32_t vectors_mask;
uint32_t vectors_compact;
uint32_t vectors_offsets[8] EARLY;

#define HEADER_END	576u		/* of XSAVE's area */

/* Bytes of the components. The compacted form has them one behind the other:
 * Intel SDM, volume 1, 13.5 and 13.4.3. */
static const uint16_t components[ARRAY_SIZE(vectors_offsets)] = {
	[2] = 256, [5] = 64, [6] = 512, [7] = 1024,
};

/* Start-up calls it, and nothing writes these words after that. */
SIGSAFE void vectors_setup(void)
{
	uint32_t out[4], a, d;

	if (!host_leaf_read(out, HOST_LEAF_1, 1, 0) ||
	    !(out[2] & CPUID_OSXSAVE))
		return;
	__asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	vectors_state = a;
	vectors_mask = vectors_state & KEEP_MASK;
	if (!host_leaf_read(out, HOST_LEAF_D_1, 0xd, 1))
		return;
	vectors_compact = out[0] & CPUID_XSAVEC;
	if (!vectors_offsets[2]) {
		uint32_t next = HEADER_END;

		/* the places of the components from AVX on */
		for (uint32_t i = 2; i < ARRAY_SIZE(vectors_offsets); i++) {
			uint32_t bytes = components[i], offset = next, u, v;

			if (!(vectors_mask & 1u << i))
				continue;
			if (!vectors_compact)
				__cpuid_count(0xd, i, bytes, offset, u, v);
			next += bytes;
			if (offset + bytes <= VECTORS_BYTES)
				vectors_offsets[i] = offset;
		}
	}
}
