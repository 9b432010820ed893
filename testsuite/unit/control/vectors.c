/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CPUID's answers come from libc's copies, and the places of the compacted
 * vector state from the architecture (base/host-x86_64.h,
 * control/threads/vectors.h): both as the processor says.
 */
#include "testsuite/unit/unit.h"

#include <cpuid.h>
#include <dlfcn.h>
#include <string.h>

#include "base/base.h"
#include "base/host.h"
#include "control/threads/vectors.h"

/* The words that are used, bit N for word N: others differ between CPUs, and
 * with the state that is in use. */
static const struct {
	const char *name;
	unsigned int number;
	uint32_t leaf;
	uint32_t below;
	uint32_t words;
} leaves[] = {
	{ "1", HOST_LEAF_1, 1, 0, 1 << 2 | 1 << 3 },
	{ "7", HOST_LEAF_7, 7, 0, 1 << 1 | 1 << 2 | 1 << 3 },
	{ "D.1", HOST_LEAF_D_1, 0xd, 1, 1 << 0 },
	{ "80000007", HOST_LEAF_80000007, 0x80000007, 0, 1 << 3 },
};

static void check_leaves(void)
{
	uint32_t libc[4], own[4], i, k;

	for (i = 0; i < ARRAY_SIZE(leaves); i++) {
		const struct host_leaf *(*kept)(unsigned int) = host_leaf;
		bool has, had = host_leaf_read(libc, leaves[i].number,
					       leaves[i].leaf,
					       leaves[i].below);

		host_leaf = NULL;
		has = host_leaf_read(own, leaves[i].number, leaves[i].leaf,
				     leaves[i].below);
		host_leaf = kept;
		unit_equal(had, has && (own[0] | own[1] | own[2] | own[3]),
			   "leaf %s is there", leaves[i].name);
		for (k = 0; k < 4 && has; k++)
			if (leaves[i].words & 1u << k)
				unit_equal(libc[k], own[k], "leaf %s, word %u",
					   leaves[i].name, k);
	}
}

/* Walks over the components as the processor describes them. */
static void check_offsets(const char *how)
{
	uint32_t bytes, offset, flags, d, i, next = 576;

	memset(vectors_offsets, 0, sizeof(vectors_offsets));
	vectors_setup();
	for (i = 2; i < ARRAY_SIZE(vectors_offsets); i++) {
		if (!(vectors_mask & 1u << i)) {
			unit_equal(vectors_offsets[i], 0, "%s: none of %u", how,
				   i);
			continue;
		}
		__cpuid_count(0xd, i, bytes, offset, flags, d);
		/* to 64 bytes, in the compacted form */
		if (vectors_compact && flags & 2)
			next = (next + 63) & ~63u;
		if (vectors_compact)
			offset = next;
		next += bytes;
		unit_equal(vectors_offsets[i], offset, "%s: place of %u", how,
			   i);
	}
}

int main(void)
{
	check_offsets("by CPUID");
	*(void **)&host_leaf = dlsym(RTLD_DEFAULT,
				     "__x86_get_cpuid_feature_leaf");
	if (!host_leaf) {
		unit_skip("libc's copies", "this libc has none");
		return unit_end();
	}
	check_leaves();
	check_offsets("by libc's copies");
	return unit_end();
}
