/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The holder that makes gdbserver's frames (gdbstub/ipa/hold.c): from the first
 * frame on, another thread waits for the holder.
 */
#include "testsuite/unit/unit.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
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

/* The trace: gdbserver ends it at the hook. */
int32_t gdb_agent_tracing;
static enum ipa_end end_reason;

void ipa_stop_tracing(void)
{
}

bool ipa_call(void (*hook)(void))
{
	gdb_agent_tracing = hook != ipa_stop_tracing;
	return true;
}

static bool buffer_is_new;

bool ipa_buffer_is_new(void)
{
	return buffer_is_new;
}

void ipa_program_forget(void)
{
}

void ipa_limits_end(enum ipa_end why)
{
	end_reason = why;
}

static void trace_begin(void)
{
	memset(&room, 0, sizeof(room));
	gdb_agent_tracing = 1;
	end_reason = IPA_END_OTHER;
}

static void trace_check_end(const char *what)
{
	unit_check(!gdb_agent_tracing && end_reason == IPA_END_LEFT,
		   "%s: the trace ends and says why", what);
}

static uint64_t stack_here(void)
{
	return (uint64_t)__builtin_frame_address(0);
}

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
		if (ipa_hold(1, stack_here()))
			ipa_release();
		else
			__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
		meet(&ended, i);
	}
	return NULL;
}

static void *hold_once(void *arg)
{
	*(int *)arg = ipa_hold(0, stack_here());
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
	*(int *)arg = ipa_hold(1, stack_here());
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
	ipa_hold(1, stack_here());
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
	unit_check(ipa_hold(1, stack_here()), "held");
	unit_check(!ipa_hold(1, stack_here() - 4096),
		   "not by a handler that interrupts the holder");
	unit_check(!elsewhere(), "nor by who has no time to wait");
	ipa_release();
	unit_check(elsewhere(), "by another one behind");
	room.stuck = 2;
	unit_check(elsewhere(), "whoever was waited for in vain before");
}

static char aside[65536];
static int got_aside;

static void hold_aside(int signal)
{
	(void)signal;
	got_aside = ipa_hold(1, stack_here());
}

/* A holder that has gone, seen by the next hits. */
static void test_left(void)
{
	uint64_t here = stack_here();
	stack_t other = { .ss_sp = aside, .ss_size = sizeof(aside) };

	trace_begin();
	unit_check(ipa_hold(1, here), "a hit that is left");
	unit_check(!ipa_hold(1, here - 8192), "one below may be a handler's");
	unit_check(gdb_agent_tracing, "so the trace goes on");
	unit_check(!ipa_hold(1, here), "one at its place finds it");
	trace_check_end("a hit that is left");
	unit_check(ipa_hold(1, here - 8192), "so the next one is served");
	ipa_release();
	trace_begin();
	sigaltstack(&other, NULL);
	unit_check(ipa_hold(1, here), "held by a hit that is interrupted");
	raise(SIGUSR1);
	unit_check(!got_aside, "a handler on its own stack leaves it");
	ipa_release();
	raise(SIGUSR1);
	unit_check(got_aside, "held by a handler on its own stack");
	unit_check(gdb_agent_tracing, "and the trace goes on");
	unit_check(!ipa_hold(1, here), "which is left");
	trace_check_end("a handler that is left");
	unit_check(ipa_hold(1, here), "and the next one is served");
	trace_begin();
	unit_check(ipa_hold(1, here), "a hit of an earlier trace is left");
	buffer_is_new = 1;
	unit_check(ipa_hold(1, here), "the new trace serves the next one");
	unit_check(gdb_agent_tracing, "and goes on");
	ipa_release();
	buffer_is_new = 0;
}

static void *hold_only(void *unused)
{
	ipa_hold(1, stack_here());
	return unused;
}

static void test_ended(void)
{
	pthread_t thread;

	trace_begin();
	pthread_create(&thread, NULL, hold_only, NULL);
	pthread_join(thread, NULL);
	unit_check(!ipa_hold(0, stack_here()), "the holder has ended");
	trace_check_end("the holder's end");
	unit_check(ipa_hold(0, stack_here()), "so the next hit is served");
	ipa_release();
}

int main(void)
{
	struct sigaction action = { .sa_handler = hold_aside,
				    .sa_flags = SA_ONSTACK };

	ipa = &room;
	sigaction(SIGUSR1, &action, NULL);
	test_held();
	test_left();
	test_ended();
	test_first();
	test_patience(1);
	test_patience(0);
	return unit_end();
}
