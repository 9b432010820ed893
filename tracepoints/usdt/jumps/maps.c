/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Maps pages for code where the process has nothing mapped.
 *
 * Invariant: the list of mappings only saves attempts. Other threads map and
 * unmap meanwhile, so the attempt itself decides.
 */
#include "tracepoints/usdt/jumps/jumps.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/base.h"
#include "base/sys.h"
#include "tracepoints/program/mapped.h"

#define PAGE		4096ull
#define RANGES_MAX	4096u	/* adjacent mappings are one range */
#define RANGES_BYTES	(RANGES_MAX * sizeof(struct range))
#define MISSES		8u	/* attempts that fail before the list is read */
/* Accesses through null pointers must fault below; root may map pages there. */
#define LOWEST		(1ull << 20)
/* Room into which the first thread's stack and the heap may still grow. */
#define GROWTH		(256ull << 20)

struct range {
	uint64_t start;
	uint64_t end;
};

static struct range *ranges;	/* sorted; or NULL */
static uint32_t count;
static uint32_t misses;

/* Adds a mapping to the list. */
static int range_add(const struct mapped *mapped, void *unused)
{
	/* mappings above the last range that fits are not known */
	if (count && ranges[count - 1].end == mapped->start)
		ranges[count - 1].end = mapped->end;
	else if (count < RANGES_MAX)
		ranges[count++] = (struct range){ mapped->start, mapped->end };
	return 0;
}

/* Tells whether the list has a mapping there. Returns false before the list was
 * read, which is after MISSES attempts have failed. */
static bool is_listed(uint64_t address)
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

static uint64_t heap_end;	/* 0: not known */

int usdt_page_take(uint64_t address)
{
	/* the registry's lock guards it */
	static struct mapped mapped TABLE;
	uint64_t top;
	long got;

	if (address < LOWEST || is_listed(address))
		return -EADDRINUSE;
	/* the first thread's stack or the heap may grow to the address */
	top = usdt_stack_end();
	if (!heap_end)
		heap_end = (uint64_t)sys1(SYS_brk, 0);
	if ((address <= top && top - address < GROWTH) ||
	    (address >= heap_end && address - heap_end < GROWTH))
		return -EADDRINUSE;
	got = sys_mmap(address, PAGE, PROT_READ | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		       0);
	if (got == (long)address)
		return 0;
	/* a kernel that takes the address for a hint */
	if (got > 0)
		sys_munmap(got, PAGE);
	/* without the list every attempt is made */
	if (++misses == MISSES)
		ranges = sys_map_anonymous(RANGES_BYTES);
	if (misses == MISSES && ranges)
		mapped_each(&mapped, range_add, NULL);
	return -EADDRINUSE;
}

void usdt_maps_forget(void)
{
	if (ranges)
		sys_munmap(ranges, RANGES_BYTES);
	ranges = NULL;
	count = misses = 0;
	heap_end = 0;
}
