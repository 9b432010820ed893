/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collects writes of code that no thread reaches yet, and does them together:
 * one system call writes all that lies in one page.
 *
 * Invariant: code is written before the first jump that leads to it.
 */
#include "tracepoints/usdt/jumps/jumps.h"
#include "tracepoints/usdt/plan/sort.h"

#include <errno.h>

#include "base/sys.h"

#define PAGE		4096ull
#define WRITES_MAX	4096u
#define BUFFER_BYTES	(256u << 10)

/* A write to be done, whose bytes are in the buffer; sorted by address. */
struct late {
	uint64_t address;
	uint32_t at;
	uint32_t n;
};

#define LATE_BYTES	(WRITES_MAX * sizeof(struct late) + BUFFER_BYTES)

static struct late *lates;	/* then the buffer; or NULL */
static uint32_t count;
static uint32_t used;

/* Returns the buffer behind the list of writes. */
static uint8_t *late_bytes(void)
{
	return (uint8_t *)(lates + WRITES_MAX);
}

/* Does all writes, in the order of their addresses. Returns 0 or the first
 * error. */
static int all_write(const struct patcher *patcher)
{
	uint8_t bytes[2 * PAGE];
	struct late room;
	int ret = 0;
	uint32_t k;

	sort_things(lates, count, sizeof(room), &room, sort_number);
	for (uint32_t i = 0; i < count; i = k) {
		uint64_t start = lates[i].address;
		uint64_t end = start;
		int failed;

		/* bytes between two writes are the agent's, and stay */
		for (k = i; k < count; k++) {
			const struct late *late = &lates[k];

			if (k > i && late->address / PAGE != (end - 1) / PAGE)
				break;
			if (late->address + late->n - start > sizeof(bytes))
				break;
			if (late->address > end)
				__builtin_memcpy(bytes + (end - start),
						 (const void *)end,
						 late->address - end);
			__builtin_memcpy(bytes + (late->address - start),
					 late_bytes() + late->at, late->n);
			end = late->address + late->n;
		}
		failed = patch_write(patcher, (uint8_t *)start, bytes,
				     (uint32_t)(end - start));
		if (failed && !ret)
			ret = failed;
	}
	count = used = 0;
	return ret;
}

int usdt_write(const struct patcher *patcher, uint64_t address,
	       const void *bytes, uint32_t n)
{
	int ret = 0;

	if (!lates)
		lates = sys_map_anonymous(LATE_BYTES);
	if (!lates)
		return patch_write(patcher, (uint8_t *)address, bytes, n);
	if (count == WRITES_MAX || n > BUFFER_BYTES - used)
		ret = all_write(patcher);
	__builtin_memcpy(late_bytes() + used, bytes, n);
	lates[count].address = address;
	lates[count].at = used;
	lates[count++].n = n;
	used += n;
	return ret;
}

int usdt_write_all(const struct patcher *patcher)
{
	int ret = lates ? all_write(patcher) : 0;

	if (!lates)
		return 0;
	sys_munmap(lates, LATE_BYTES);
	lates = NULL;
	/* a processor may have fetched the old code of a reused place */
	patch_sync();
	return ret;
}
