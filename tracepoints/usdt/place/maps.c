/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the process has nothing mapped, so that the kernel need not be asked
 * page by page; see private.h.
 *
 * What must stay true: this only spares attempts. Others map and unmap
 * meanwhile, and the attempt itself decides.
 */
#include "tracepoints/usdt/place/private.h"

#include <fcntl.h>

#include "base/base.h"
#include "base/sys.h"

#define RANGES_MAX	4096u	/* what lies side by side is one */
#define RANGES_BYTES	(RANGES_MAX * sizeof(struct range))
#define MISSES		8u	/* before the list is worth its reading */

struct range {
	uint64_t start;
	uint64_t end;
};

static struct range *ranges;	/* sorted; or NULL */
static uint32_t count;
static uint32_t misses;

/* A line of the list: "START-END ...", in hexadecimal. */
struct reading {
	struct range range;
	int field;		/* 0: the start, 1: the end, 2: what follows */
};

/* What is above those that there is room for is not known. */
static void range_add(const struct range *range)
{
	if (count && ranges[count - 1].end == range->start)
		ranges[count - 1].end = range->end;
	else if (count < RANGES_MAX)
		ranges[count++] = *range;
}

static void letter_take(struct reading *r, char c)
{
	uint64_t *number = r->field ? &r->range.end : &r->range.start;

	if (c == '\n') {
		range_add(&r->range);
		*r = (struct reading){ 0 };
	} else if (r->field < 2 && (c == '-' || c == ' ')) {
		r->field++;
	} else if (r->field < 2) {
		*number = *number << 4 |
			  (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
}

static void maps_read(void)
{
	int fd = (int)sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	struct reading r = { 0 };
	char buffer[4096];
	long i;
	long n;

	if (fd < 0)
		return;
	ranges = sys_map_anonymous(RANGES_BYTES);
	while (ranges && (n = sys_read(fd, buffer, sizeof(buffer))) > 0)
		for (i = 0; i < n; i++)
			letter_take(&r, buffer[i]);
	sys_close(fd);
}

int usdt_maps_have(uint64_t address)
{
	uint32_t low = 0;
	uint32_t high = count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && address >= ranges[low].start;
}

void usdt_maps_missed(void)
{
	if (++misses == MISSES)
		maps_read();
}

void usdt_maps_forget(void)
{
	if (ranges)
		sys_munmap(ranges, RANGES_BYTES);
	ranges = NULL;
	count = misses = 0;
}
