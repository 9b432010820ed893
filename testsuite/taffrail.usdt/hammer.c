/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two threads hit sites of one kind as fast as they can, while a command
 * switches the sites. Each hit has a number, so a trace shows which ones are
 * missing. Never linked to the agent.
 *
 *	hammer own | byte | jump | beside | trap [SPIN]
 *
 * own: a marker; byte: a probe of which one byte is switched; jump: the probes
 * of place-kinds.S, of which five bytes or more are switched; beside: probes
 * two side by side; trap: probes at which no jump can be placed. The first
 * argument of each is `number * 8 + who`: 0 and 1 are the threads, which count
 * to SPIN between two hits. Prints "ready". At a line "N" it hits each site N
 * times as 2, and prints "hit" and the number of these hits. Ends with its
 * input: "right", or what was wrong.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <taffrail/marker.h>

#include "../shared/adopt.h"

#define THREADS	2
#define OTHER	5	/* the second argument, which kind_three needs */

typedef uint64_t kind(uint64_t a, uint64_t b);
kind kind_one, kind_two, kind_three, kind_split, kind_data, kind_condition,
	kind_jump, kind_call, kind_joined, kind_twice, kind_pair, kind_skipped,
	kind_near, kind_handles, kind_system, kind_row;

static __attribute__((noinline)) uint64_t kind_own(uint64_t arg1, uint64_t arg2)
{
	TAFFRAIL_EVENT(hammer, own, arg1, arg2);
	return arg1 + arg2;
}

static __attribute__((noinline)) uint64_t kind_byte(uint64_t a, uint64_t b)
{
	uint64_t sum = a;

	__asm__ volatile(ADOPT_NOP("hammer", "byte", "0", "8@%%rdi 8@%%rsi")
			 "addq %%rsi, %[sum]"
			 : [sum] "+r"(sum) : "D"(a), "S"(b) : "rax", "cc");
	return sum;
}

static kind *const own[] = { kind_own, NULL };
static kind *const byte[] = { kind_byte, NULL };
static kind *const jump[] = {
	kind_one, kind_two, kind_three, kind_split, kind_data, kind_condition,
	kind_jump, kind_call, kind_joined, kind_twice, NULL
};

static kind *const beside[] = { kind_pair, kind_skipped, kind_near, NULL };
static kind *const trap[] = { kind_handles, kind_system, kind_row, NULL };

static kind *const *kinds;
static uint64_t spin;
static int stop;
static int wrong;

static void hit(uint64_t number, uint64_t who)
{
	uint64_t a = number * 8 + who;
	volatile uint64_t k;
	int i;

	for (i = 0; kinds[i]; i++) {
		for (k = 0; k < spin; k++)
			;
		if ((uint32_t)kinds[i](a, OTHER) != (uint32_t)(a + OTHER)) {
			printf("wrong: %d of %llu\n", i,
			       (unsigned long long)a);
			__atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
		}
	}
}

static void *thread(void *who)
{
	uint64_t number = 1;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&wrong, __ATOMIC_RELAXED))
		hit(number++, (uint64_t)(uintptr_t)who);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t threads[THREADS];
	uint64_t number = 1;
	char line[32];
	uintptr_t i;

	kinds = !strcmp(what, "own") ? own : !strcmp(what, "byte") ? byte :
		!strcmp(what, "jump") ? jump :
		!strcmp(what, "beside") ? beside :
		!strcmp(what, "trap") ? trap : NULL;
	if (!kinds)
		return 2;
	spin = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread, (void *)i);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t last = number + strtoull(line, NULL, 10);

		while (number < last)
			hit(number++, 2);
		printf("hit %llu\n", (unsigned long long)number - 1);
		fflush(stdout);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (!wrong)
		puts("right");
	return wrong;
}
