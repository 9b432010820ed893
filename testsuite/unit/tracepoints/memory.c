/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory of the program at any address (tracepoints/program/memory.h), read by
 * the processor's transactions and by the kernel: memory that can be read, that
 * cannot, that ends in the middle, and pages that come and go during a read.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "base/host.h"
#include "tracepoints/program/mapped.h"
#include "tracepoints/program/memory.h"

#define PAGE	4096
#define READS	20000

static const struct memory_stack no_stack;

static uint64_t value_at(const void *at, uint64_t n)
{
	struct memory_line line = { 0 };

	return memory_value((uint64_t)at, n, &no_stack, &line);
}

/* Makes two pages; the second cannot be read. */
static uint8_t *pages_make(void)
{
	uint8_t *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE))
		return NULL;
	return pages;
}

static void check_values(uint8_t *pages, const char *how)
{
	uint8_t *end = pages + PAGE;
	char text[64];
	char to[1024];

	memcpy(end - 8, "\1\2\3\4\5\6\7", 8);
	unit_equal(value_at(end - 8, 8), 0x0007060504030201, "%s: a word", how);
	unit_equal(value_at(end - 8, 2), 0x0201, "%s: a part of it", how);
	unit_equal(value_at(end - 8, 1), 0x01, "%s: a byte", how);
	unit_equal(value_at(end - 4, 8), 0x00070605, "%s: as far as it is there",
		   how);
	unit_equal(value_at(end, 8), 0, "%s: what is not", how);
	unit_equal(value_at(NULL, 4), 0, "%s: nothing", how);
	unit_equal(value_at((void *)0x8000000000000000, 4), 0,
		   "%s: no address", how);
	memset(pages, 'a', PAGE);
	unit_equal(memory_copy(to, (uint64_t)pages, sizeof(to), &no_stack),
		   sizeof(to), "%s: much", how);
	unit_check(!memcmp(to, pages, sizeof(to)), "%s: as it is", how);
	unit_equal(memory_copy(to, (uint64_t)end - 100, 200, &no_stack), 100,
		   "%s: a part of much", how);
	unit_equal(memory_copy(to, (uint64_t)end, 200, &no_stack), 0,
		   "%s: none of it", how);
	strcpy((char *)end - 4, "end");
	unit_equal(memory_copy_string(text, (uint64_t)end - 4, sizeof(text),
				      &no_stack), 4, "%s: a string", how);
	unit_equal_string(text, "end", "%s: what it says", how);
	memset(pages, 0, PAGE);
}

static int stop;

static void *come_and_go(void *pages)
{
	int on = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		mprotect(pages, PAGE, on ? PROT_READ | PROT_WRITE : PROT_NONE);
		if (on)
			*(volatile uint64_t *)pages = 77;
		on = !on;
	}
	return NULL;
}

/* Each read gets the whole value, or nothing. */
static void check_race(uint8_t *pages, const char *how)
{
	uint32_t counts[3] = { 0 };
	pthread_t other;

	*(uint64_t *)pages = 77;
	stop = 0;
	if (pthread_create(&other, NULL, come_and_go, pages))
		return;
	for (uint32_t i = 0; i < READS ||
			     (i < 100 * READS && (!counts[0] || !counts[1]));
	     i++) {
		uint64_t value = value_at(pages, 8);

		counts[value == 77 ? 0 : value ? 2 : 1]++;
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(other, NULL);
	mprotect(pages, PAGE, PROT_READ | PROT_WRITE);
	unit_check(counts[0] && counts[1] && !counts[2],
		   "%s: it comes and goes", how);
}

struct visit {
	uint64_t last;
	uint32_t n, own;
	bool order;
};

static int mapping_count(const struct mapped *mapped, void *arg)
{
	struct visit *visit = arg;
	uint64_t here = (uintptr_t)value_at;

	visit->order &= mapped->start >= visit->last &&
			mapped->end > mapped->start;
	visit->last = mapped->end;
	visit->n++;
	visit->own += mapped->start <= here && here < mapped->end;
	return 0;
}

/* All mappings, in order; and the files of two, one with blanks in its name. */
static void check_mapped(void)
{
	static struct mapped mapped;
	struct visit visit = { .order = true };
	const char *above = getenv("TMPDIR");
	char path[1024];
	void *at;
	int fd;

	snprintf(path, sizeof(path), "%s/taffrail unit.XXXXXX",
		 above && *above ? above : "/tmp");
	fd = mkstemp(path);
	at = fd < 0 || ftruncate(fd, PAGE) ?
		     MAP_FAILED :
		     mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	unit_equal(mapped_each(&mapped, mapping_count, &visit), 0, "mappings");
	unit_check(visit.n > 5 && visit.order, "all, in their order");
	unit_equal(visit.own, 1, "one has this code");
	unit_equal(mapped_find(&mapped, (uintptr_t)value_at), 0, "its file");
	unit_check(strstr(mapped.path, "/memory"), "is this program");
	if (unit_check(at != MAP_FAILED, "a file with a blank")) {
		unit_equal(mapped_find(&mapped, (uintptr_t)at), 0, "is found");
		unit_equal_string(mapped.path, path, "its name");
		munmap(at, PAGE);
	}
	close(fd);
	unlink(path);
	unit_equal(mapped_find(&mapped, (uintptr_t)&visit), -ENOENT,
		   "a stack has no file");
}

int main(void)
{
	uint8_t *pages = pages_make();

	if (!pages)
		return 1;
	check_mapped();
	host_setup();
	if (host_transactions) {
		check_values(pages, "transaction");
		check_race(pages, "transaction");
	} else {
		unit_skip("transaction", "the processor has none");
	}
	host_transactions = 0;
	check_values(pages, "kernel");
	check_race(pages, "kernel");
	return unit_end();
}
