/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the machine takes for the least that an event in a ring of its CPU is:
 * the CPU's number from the thread's memory, that CPU's slot, a look whether
 * there is room, the clock, the bytes, and a store that commits them. No tracer
 * is in it, and nothing that makes it safe against another thread, a signal or
 * a move to another CPU. Limits that depend on the machine are ratios to these.
 */
#include "testsuite/bench/bench.h"

#include <stdlib.h>
#include <string.h>

/* As large as the rings of the sessions that are measured. */
#define FLOOR_BYTES	(4u << 20)
#define FLOOR_SLACK	4096
#define FLOOR_CPUS	2
#define FLOOR_EVENTS	10000

struct slot {
	char *ring;
	uint64_t position;
	uint64_t end;
	uint64_t laps;
};

static _Alignas(64) struct slot slots[2][FLOOR_CPUS][4];
static __thread uint32_t cpu;
static __thread int ready;
static unsigned threads_seen;

static const char *volatile floor_string = "0123456789abcde";

static void prepare(void)
{
	if (ready)
		return;
	ready = 1;
	cpu = __atomic_fetch_add(&threads_seen, 1, __ATOMIC_RELAXED) %
	      FLOOR_CPUS;
	for (int i = 0; i < 2; i++) {
		struct slot *slot = slots[i][cpu];

		slot->ring = aligned_alloc(4096, FLOOR_BYTES + FLOOR_SLACK);
		if (!slot->ring)
			abort();
		memset(slot->ring, 1, FLOOR_BYTES + FLOOR_SLACK);
		slot->end = FLOOR_BYTES;
	}
}

/* A sub-buffer is full. */
static __attribute__((noinline, cold)) void turn(struct slot *slot)
{
	slot->position = 0;
	slot->laps++;
}

/* Room for `n` bytes behind the header of four, which it writes. */
static inline __attribute__((always_inline)) char *begin(struct slot *slot,
							 uint64_t n)
{
	char *out;

	if (__builtin_expect(slot->position + 4 + n > slot->end, 0))
		turn(slot);
	out = slot->ring + slot->position;
	*(uint32_t *)(void *)out = (uint32_t)bench_tsc() << 5 | 7;
	return out + 4;
}

static inline __attribute__((always_inline)) void commit(struct slot *slot,
							 uint64_t n)
{
	__atomic_store_n(&slot->position, slot->position + 4 + n,
			 __ATOMIC_RELEASE);
}

BENCH_LOOP void floor_u64(struct bench_thread *thread, long n)
{
	(void)thread;
	prepare();
	for (long i = 0; i < n; i++) {
		struct slot *slot = slots[0][cpu];

		*(uint64_t *)(void *)begin(slot, 8) = (uint64_t)i;
		commit(slot, 8);
		BENCH_BARRIER;
	}
}

BENCH_LOOP void floor_twice(struct bench_thread *thread, long n)
{
	(void)thread;
	prepare();
	for (long i = 0; i < n; i++) {
		for (int k = 0; k < 2; k++) {
			struct slot *slot = slots[k][cpu];

			*(uint64_t *)(void *)begin(slot, 8) = (uint64_t)i;
			commit(slot, 8);
			BENCH_BARRIER;
		}
	}
}

BENCH_LOOP void floor_string15(struct bench_thread *thread, long n)
{
	(void)thread;
	prepare();
	for (long i = 0; i < n; i++) {
		struct slot *slot = slots[0][cpu];
		const char *s = floor_string;
		uint64_t bytes = strlen(s) + 1;
		char *out = begin(slot, 4 + bytes);

		*(uint32_t *)(void *)out = (uint32_t)i;
		memcpy(out + 4, s, bytes);
		commit(slot, 4 + bytes);
		BENCH_BARRIER;
	}
}

#define FLOOR_BYTES_LOOP(size)						\
BENCH_LOOP __attribute__((target("avx")))				\
void floor_bytes##size(struct bench_thread *thread, long n)		\
{									\
	prepare();							\
	for (long i = 0; i < n; i++) {					\
		struct slot *slot = slots[0][cpu];			\
		unsigned char *from = thread->bytes;			\
									\
		from[i & (size - 1)] = (unsigned char)i;		\
		__builtin_memcpy(begin(slot, size), from, size);	\
		commit(slot, size);					\
		BENCH_BARRIER;						\
	}								\
}

FLOOR_BYTES_LOOP(64)
FLOOR_BYTES_LOOP(256)

static const struct bench_case floor_cases[] = {
	{ "floor_u64", floor_u64, FLOOR_EVENTS },
	{ "floor_twice", floor_twice, FLOOR_EVENTS },
	{ "floor_string15", floor_string15, FLOOR_EVENTS },
	{ "floor_bytes64", floor_bytes64, FLOOR_EVENTS },
	{ "floor_bytes256", floor_bytes256, FLOOR_EVENTS },
};

unsigned bench_floor_cases(const struct bench_case **cases)
{
	unsigned count = sizeof(floor_cases) / sizeof(floor_cases[0]);

	*cases = floor_cases;
	/* the last two copy by AVX */
	return __builtin_cpu_supports("avx") ? count : count - 2;
}
