/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Maps pages for code where the process has nothing mapped.
 *
 * Invariant: the list of mappings only saves attempts. Other threads map and
 * unmap meanwhile, so the attempt itself decides.
 */
#include "tracepoints/usdt/place/private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "base/sys.h"

#define PAGE		4096ull
#define RANGES_MAX	4096u	/* adjacent mappings are one range */
#define RANGES_BYTES	(RANGES_MAX * sizeof(struct range))
#define MISSES		8u	/* attempts that fail before the list is read */
/* Room into which the first thread's stack and the heap may still grow. */
#define GROWTH		(256ull << 20)

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

/* Takes one letter of the list of mappings, and adds the range at the end of a
 * line. */
static void letter_take(struct reading *r, char c)
{
	uint64_t *number = r->field ? &r->range.end : &r->range.start;

	if (c == '\n') {
		/* mappings above the last range that fits are not known */
		if (count && ranges[count - 1].end == r->range.start)
			ranges[count - 1].end = r->range.end;
		else if (count < RANGES_MAX)
			ranges[count++] = r->range;
		*r = (struct reading){ 0 };
	} else if (r->field < 2 && (c == '-' || c == ' ')) {
		r->field++;
	} else if (r->field < 2) {
		*number = *number << 4 |
			  (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
}

/* Reads the list of mappings. Without it every attempt is made. */
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

/* Tells whether the list has a mapping there. Returns 0 before the list was
 * read, which is after MISSES attempts have failed. */
static int is_listed(uint64_t address)
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

/* Returns 1 when the first thread's stack or the heap may grow to the
 * address. */
static int grows_into(uint64_t address)
{
	uint64_t top = usdt_stack_end();
	uint64_t heap = heap_end;

	if (!heap)
		heap = heap_end = (uint64_t)sys1(SYS_brk, 0);

	return (address <= top && top - address < GROWTH) ||
	       (address >= heap && address - heap < GROWTH);
}

int usdt_page_take(uint64_t address)
{
	long got;

	if (is_listed(address) || grows_into(address))
		return -EADDRINUSE;
	got = sys_mmap(address, PAGE, PROT_READ | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		       0);
	if (got == (long)address)
		return 0;
	/* a kernel that takes the address for a hint */
	if (got > 0)
		sys_munmap(got, PAGE);
	if (++misses == MISSES)
		maps_read();
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
