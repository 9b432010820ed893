/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the handler of SIGTRAP leads threads (jumps/lookup.c), with made-up
 * ways: right for each place while ways come and replace others, in threads, in
 * handlers in the middle of that, and in children; in few steps with many ways;
 * and right without memory, too. A way that is told of too early is seen to be
 * missing.
 */
#include "testsuite/unit/unit.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/base.h"
#include "tracepoints/usdt/jumps/jumps.h"

#define PLACES		20000u
#define VERSIONS	3u	/* of a place: ways that replace each other */
#define PAGE		4096u
#define THREADS		3
#define CHILDREN	10
#define PLACE_BYTES	20u
#define TOO_EARLY		50u	/* places that are told of too early */
#define SCARCE		700u	/* that come without memory */

static struct way *ways[PLACES][VERSIONS];
static uint32_t versions[PLACES];	/* that threads may trap at */
static uint32_t published, looks, wrong, midway, faults;
static uint64_t base;
static bool scarce, ended;

void *__real_arena_keep(size_t bytes);
void *__wrap_arena_keep(size_t bytes);

static uint32_t places_wrong(uint64_t mask, uint32_t step);

/* Has each first write to a page of a table interrupted (table_fault()). */
void *__wrap_arena_keep(size_t bytes)
{
	char *p = scarce ? NULL : __real_arena_keep(bytes + 2 * PAGE);

	if (!p)
		return NULL;
	p += -(uint64_t)p % PAGE;
	mprotect(p, bytes, PROT_READ);
	return p;
}

/* Looks in the middle of the filling of a table. */
static void table_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	midway += places_wrong(~0ull, 97);
	faults++;
	if (mprotect((char *)info->si_addr - (uint64_t)info->si_addr % PAGE,
		     PAGE, PROT_READ | PROT_WRITE))
		abort();
}

/* Returns the first address that all versions of a place switch. */
static uint64_t place_site(uint32_t place)
{
	return base + 64 + (uint64_t)place * PLACE_BYTES;
}

/* Adds a way that leads to an address, or moves code by as much; keeps it
 * before a thread finds it. */
static void way_put(struct way **kept, uint64_t site, uint32_t n,
		    uint16_t starts, uint32_t operand)
{
	struct way *way = usdt_way_new(n, 1);

	if (!way)
		abort();
	way->free = 1;
	way->site = site;
	way->starts = starts;
	way->direct = 1;
	way->stubs = (struct stub *)(base + operand);
	way->moved = (int32_t)operand;
	for (uint32_t k = 0; k < n; k++)
		usdt_way_part(way, WAY_OFFSETS)[k] = (uint8_t)k;
	memcpy(usdt_way_part(way, WAY_ON) + 1, &operand, sizeof(operand));
	__atomic_store_n(kept, way, __ATOMIC_RELEASE);
	usdt_way_add(way);
	__atomic_store_n(&way->free, 0, __ATOMIC_RELEASE);
}

/* Adds a way of a place: a trap, or a jump that begins the earlier the later
 * it comes. Threads may trap at it when this returns. */
static void way_make(uint32_t place, uint32_t version)
{
	uint32_t before = place % 3 ? 3 * version : 0;
	uint32_t n = place % 3 ? 5 + before : 1;
	uint32_t operand = (place << 4 | version) << 4;

	way_put(&ways[place][version], place_site(place) - before, n,
		n > 1 ? (uint16_t)(1 | 5 << before) : 1, operand);
	/* some stay in use, as where their spots were given back */
	if (version && place % 2) {
		ways[place][version - 1]->replaced = 1;
		__atomic_store_n(&ways[place][version - 1]->free, 1,
				 __ATOMIC_RELEASE);
	}
}

/* Returns where a thread must continue from the first address of a place, or
 * from two bytes behind it. */
static uint64_t way_wants(const struct way *way, uint64_t address)
{
	uint32_t k = (uint32_t)(address - way->site);

	if (way->n == 1)
		return (uint64_t)way->stubs;
	return k ? way->site + (uint64_t)way->moved + k :
		   way->site + USDT_JUMP_BYTES + (uint64_t)way->moved;
}

/* Tells whether a trap at a place leads to the newest way, or a newer one. */
static bool place_is_right(uint32_t place, uint64_t mask, bool moved)
{
	uint32_t first = __atomic_load_n(&versions[place], __ATOMIC_ACQUIRE);
	uint64_t address = place_site(place) + (place % 3 && place & 1 ? 2 : 0);
	uint64_t to = usdt_trap_target(address & mask, mask, moved);
	uint32_t last = __atomic_load_n(&versions[place], __ATOMIC_ACQUIRE);
	bool right = false;

	/* the next one may be there before it is told of */
	for (uint32_t i = first ? first - 1 : 0;
	     i <= last && i < VERSIONS && !right; i++) {
		const struct way *way =
			__atomic_load_n(&ways[place][i], __ATOMIC_ACQUIRE);

		right = way && to == way_wants(way, address);
	}
	return right;
}

/* Looks at a place, at the newest one every other time. */
static void place_look(unsigned *seed)
{
	uint32_t n = __atomic_load_n(&published, __ATOMIC_ACQUIRE);
	uint32_t place = (uint32_t)rand_r(seed) % (n ? n : 1);

	if (n && !place_is_right(place & 1 ? n - 1 : place, ~0ull, place & 2))
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&looks, 1, __ATOMIC_RELEASE);
}

static void *places_look(void *arg)
{
	unsigned seed = (unsigned)(uintptr_t)arg;

	while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE))
		place_look(&seed);
	return NULL;
}

static void look_handle(int signal)
{
	static unsigned seed = 7;

	(void)signal;
	place_look(&seed);
}

/* Waits until each thread has begun to look once more. */
static void looks_wait(void)
{
	uint32_t until = __atomic_load_n(&looks, __ATOMIC_ACQUIRE) +
			 4 * THREADS;

	while ((int32_t)(until - __atomic_load_n(&looks, __ATOMIC_ACQUIRE)) > 0)
		sched_yield();
}

/* Adds places up to a number, some of them by several ways. With `early` each
 * is told of before. */
static void places_add(uint32_t to, bool early)
{
	for (uint32_t place = published; place < to; place++) {
		if (early) {
			__atomic_store_n(&published, place + 1,
					 __ATOMIC_RELEASE);
			looks_wait();
		}
		for (uint32_t i = 0; i < (place % 5 ? 1 : VERSIONS); i++) {
			way_make(place, i);
			__atomic_store_n(&versions[place], i + 1,
					 __ATOMIC_RELEASE);
		}
		__atomic_store_n(&published, place + 1, __ATOMIC_RELEASE);
	}
}

static void *places_come(void *arg)
{
	(void)arg;
	places_add(PLACES, false);
	return NULL;
}

/* Returns how many places lead astray. */
static uint32_t places_wrong(uint64_t mask, uint32_t step)
{
	uint32_t n = 0;

	for (uint32_t place = 0; place < published; place += step)
		n += !place_is_right(place, mask, false);
	return n;
}

/* Returns how many children that are forked now find a place missing, and
 * counts them. */
static uint32_t child_fails(uint32_t *children)
{
	pid_t pid = fork();
	int status = -1;

	if (!pid)
		_exit(places_wrong(~0ull, 1) != 0);
	*children += pid > 0;
	return waitpid(pid, &status, 0) != pid || status != 0;
}

/* Returns how many ways the handler looks at for an address. */
static uint32_t lookup_steps(uint64_t address)
{
	struct usdt_lookup lookup = usdt_lookup_open(address, ~0ull);
	uint32_t n = 0;

	while (usdt_lookup_next(&lookup))
		n++;
	return n;
}

static void threads_run(bool early)
{
	pthread_t threads[THREADS], adder;
	uint32_t failed = 0, children = 0, handled = 0;

	ended = false;
	wrong = 0;
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, places_look, (void *)(i + 1));
	if (early) {
		places_add(published + TOO_EARLY, true);
	} else {
		pthread_create(&adder, NULL, places_come, NULL);
		while (__atomic_load_n(&published, __ATOMIC_ACQUIRE) < PLACES) {
			if (!pthread_kill(adder, SIGUSR1))
				handled++;
			if (children < CHILDREN)
				failed += child_fails(&children);
		}
		pthread_join(adder, NULL);
	}
	__atomic_store_n(&ended, true, __ATOMIC_RELEASE);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("# ran: %u\n", looks);
	if (early) {
		unit_check(wrong, "a way that is told of too early is missed");
		return;
	}
	unit_equal(wrong, 0, "threads and handlers find each way");
	unit_check(handled && children, "handlers and children looked");
	unit_equal(failed, 0, "so do children");
}

/* A thread that gdb has moved back to a trap behind a cc: the last byte of a
 * jump, or one of the program's. */
static void moved_back(void)
{
	struct way *jump, *trap, *own;
	uint8_t *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t site = (uint64_t)code + 64;

	memset(code, 0xcc, PAGE);
	way_put(&jump, site, 5, 1, 16);
	way_put(&trap, site + 5, 1, 1, 32);
	way_put(&own, site + 20, 1, 1, 48);
	unit_equal(usdt_trap_target(site + 5, ~0ull, true),
		   way_wants(trap, site + 5), "a trap behind a jump is found");
	unit_equal(usdt_trap_target(site + 20, ~0ull, true), 0,
		   "one behind the program's own trap is not");
	munmap(code, PAGE);
}

int main(void)
{
	uint64_t bytes = (uint64_t)PLACES * PLACE_BYTES + 4096, n = 0;
	uint32_t most = 0, steps;

	const struct sigaction fault = {
		.sa_sigaction = table_fault, .sa_flags = SA_SIGINFO,
	};

	signal(SIGUSR1, look_handle);
	sigaction(SIGSEGV, &fault, NULL);
	base = (uint64_t)mmap(NULL, bytes, PROT_READ,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unit_equal(usdt_trap_target(base + 64, ~0ull, false), 0, "no way yet");
	scarce = true;
	places_add(SCARCE, false);
	unit_equal(lookup_steps(base), (SCARCE + 4) / 5 * 2 + SCARCE,
		   "without memory, all are looked at");
	unit_equal(places_wrong(~0ull, 1), 0, "without memory, all are found");
	scarce = false;
	places_add(2 * SCARCE, false);
	unit_equal(places_wrong(~0ull, 1), 0, "with memory again, all are");
	scarce = true;
	places_add(4 * SCARCE, false);
	unit_equal(places_wrong(~0ull, 7), 0, "in a table that cannot grow");
	scarce = false;
	threads_run(true);
	threads_run(false);
	unit_check(faults > 100, "tables were looked at while they were made");
	unit_equal(midway, 0, "all ways were found meanwhile");
	unit_equal(places_wrong(~0ull, 1), 0, "all are found in the end");
	unit_equal(places_wrong(UINT32_MAX, 97), 0, "by half an address");
	for (uint32_t place = 0; place < PLACES; place++) {
		steps = lookup_steps(place_site(place));
		most = steps > most ? steps : most;
		n += steps;
	}
	printf("# %.1f ways a look, at most %u\n", (double)n / PLACES, most);
	unit_check(n < 10 * PLACES && most < 100,
		   "few of 28,000 ways are looked at for an address");
	unit_equal(usdt_trap_target(place_site(1) + 1, ~0ull, false) |
			   usdt_trap_target(place_site(3) + 1, ~0ull, false) |
			   usdt_trap_target(base, ~0ull, false) |
			   usdt_trap_target(0, ~0ull, false),
		   0, "no way where no instruction begins");
	munmap((void *)base, bytes);
	moved_back();
	return unit_end();
}
