/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The holder that makes gdbserver's frames (gdbstub/ipa/hold.c): from the first
 * frame on, another thread waits for the holder.
 */
#include "testsuite/unit/unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <time.h>

#include "base/base.h"
#include "gdbstub/ipa/ipa.h"

#define ROUNDS	30000
#define SECONDS	2		/* of all rounds; fewer where CPUs are busy */

static struct ipa room;
static uint32_t begun, ended;
static bool enough;		/* written before a round's meetings */
static uint32_t refused;

/* Makes both threads begin each round at nearly the same moment. Where other
 * programs have the CPU of the other thread, this one makes room. */
static void meet(uint32_t *count, uint32_t round)
{
	int turns = 0;

	__atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(count, __ATOMIC_SEQ_CST) < 2 * (round + 1))
		if (++turns % 1024 == 0)
			sched_yield();
}

static void *hold_first(void *arg)
{
	int clears = !!arg;
	time_t begin = time(NULL);
	bool last = false;
	uint32_t i;

	for (i = 0; i < ROUNDS && !last; i++) {
		if (clears) {
			memset(&room, 0, sizeof(room));
			enough = time(NULL) > begin + SECONDS;
		}
		meet(&begun, i);
		last = enough;
		if (ipa_hold(1))
			ipa_release();
		else
			__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
		meet(&ended, i);
	}
	return NULL;
}

static void *hold_once(void *arg)
{
	*(int *)arg = ipa_hold(0);
	if (*(int *)arg)
		ipa_release();
	return NULL;
}

/* Returns what ipa_hold() gives another thread meanwhile. */
static int elsewhere(void)
{
	pthread_t thread;
	int got = -1;

	pthread_create(&thread, NULL, hold_once, &got);
	pthread_join(thread, NULL);
	return got;
}

static void test_first(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, hold_first, NULL);
	hold_first(&room);
	pthread_join(thread, NULL);
	unit_equal(refused, 0, "two threads make a process's first frames");
}

static void *hold_late(void *arg)
{
	*(int *)arg = ipa_hold(1);
	if (*(int *)arg)
		ipa_release();
	return NULL;
}

/* The holder stops for longer than a thread waits for a stopped holder; or it
 * runs, and then lets go. */
static void test_patience(int holder_runs)
{
	struct timespec begin, now;
	pthread_t thread;
	int got = -1;

	memset(&room, 0, sizeof(room));
	ipa_hold(1);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pthread_create(&thread, NULL, hold_late, &got);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (holder_runs && now.tv_sec - begin.tv_sec < 4);
	if (!holder_runs)
		pthread_join(thread, NULL);
	ipa_release();
	if (holder_runs)
		pthread_join(thread, NULL);
	unit_equal(got, holder_runs, "a holder that %s",
		   holder_runs ? "runs is waited for" :
				 "stands is waited for in vain");
}

static void test_held(void)
{
	memset(&room, 0, sizeof(room));
	unit_check(ipa_hold(1), "held");
	unit_check(!ipa_hold(1), "not by a handler that interrupts the holder");
	unit_check(!elsewhere(), "nor by who has no time to wait");
	ipa_release();
	unit_check(elsewhere(), "by another one behind");
	room.stuck = 2;
	unit_check(elsewhere(), "whoever was waited for in vain before");
}

int main(void)
{
	ipa = &room;
	test_held();
	test_first();
	test_patience(1);
	test_patience(0);
	return unit_end();
}
