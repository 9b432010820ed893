/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * machine PREFIX: what the machine takes for a page fault, without any tracer.
 * Prints microseconds, the least of some rounds each, as noise only adds:
 *
 *	us PREFIX.fault N	the first write to a page
 *	us PREFIX.table N	the same, where a table of pages is made for it
 */
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#define ROUNDS		20
#define PAGES		256
#define PAGE_BYTES	4096ul
#define TABLE_BYTES	(2ul << 20)

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Microseconds a page; below 0: no memory. */
static double touch(size_t stride)
{
	size_t bytes = PAGES * stride + TABLE_BYTES;
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *first;
	double begin;

	if (memory == MAP_FAILED)
		return -1;
	/* no page may stand for more than one */
	madvise(memory, bytes, MADV_NOHUGEPAGE);
	first = (char *)(((unsigned long)memory + TABLE_BYTES - 1) &
			 ~(TABLE_BYTES - 1));
	begin = now_us();
	for (size_t i = 0; i < PAGES; i++)
		((volatile char *)first)[i * stride] = 1;
	begin = now_us() - begin;
	munmap(memory, bytes);
	return begin / PAGES;
}

static void measure(const char *prefix, const char *name, size_t stride)
{
	double least = touch(stride);

	for (int i = 1; i < ROUNDS; i++) {
		double us = touch(stride);

		if (us < least)
			least = us;
	}
	printf("us %s.%s %.2f\n", prefix, name, least);
}

int main(int argc, char **argv)
{
	const char *prefix = argc > 1 ? argv[1] : "machine";

	measure(prefix, "fault", PAGE_BYTES);
	measure(prefix, "table", TABLE_BYTES);
	return 0;
}
