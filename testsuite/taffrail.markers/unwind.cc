/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers, and threads with markers, are left before their end.
 *	unwind ROUNDS
 * A marker's argument throws exceptions through frames with markers in
 * destructors; threads end by pthread_exit() in such an argument, or are
 * cancelled at a cancellation point. Prints "WHO LEAST MOST" for each. A marker
 * whose argument throws writes no event.
 */
#include <pthread.h>
#include <stdexcept>
#include <stdio.h>
#include <stdlib.h>
#include <taffrail/marker.h>
#include <unistd.h>

static int destroyed;
static int thrown;
static int gone;

struct guard {
	~guard()
	{
		const char *who = "guard";
		int n = destroyed++;

		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
	}
};

__attribute__((noinline)) static int odd_throws(int n)
{
	if (n & 1)
		throw std::runtime_error("odd");
	return n;
}

__attribute__((noinline)) static void mark(int n)
{
	const char *who = "never";
	guard inner;

	if (n & 1)
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who),
			       TAFFRAIL_FIELD(n, odd_throws(n)));
}

static bool throw_one(int n)
{
	const char *who = "thrower";

	try {
		guard outer;

		mark(n);
	} catch (const std::runtime_error &) {
		thrown++;
	}
	TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
	return thrown == (n + 1) / 2;
}

static int leave(int n)
{
	pthread_exit(NULL);
	return n;
}

/* Guards count one after the other, so there is one such thread at a time. */
static void *exits(void *arg)
{
	const char *who = "never";
	guard outer;

	TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who),
		       TAFFRAIL_FIELD(n, leave(gone)));
	return arg;
}

static void *cancelled(void *arg)
{
	const char *who = "cancelled";
	volatile int *ready = (volatile int *)arg;
	guard outer;

	for (int left = 20; ; left--) {
		int n = gone;

		/* it stops writing, because the test reads all events */
		while (!left)
			pause();

		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
		gone++;
		*ready = 1;
		pthread_testcancel();
	}
	return arg;
}

static bool end_one(int round)
{
	volatile int ready = 0;
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, NULL, round & 1 ? exits : cancelled,
			   (void *)&ready))
		return false;
	if (!(round & 1)) {
		while (!ready)
			;
		pthread_cancel(thread);
	}
	if (pthread_join(thread, &result))
		return false;
	return result == (round & 1 ? NULL : PTHREAD_CANCELED);
}

int main(int argc, char **argv)
{
	int rounds = argc == 2 ? atoi(argv[1]) : 0;
	int n;

	for (n = 0; n < rounds; n++)
		if (!throw_one(n) || !end_one(n))
			return 1;
	printf("guard %d %d\nthrower %d %d\ncancelled %d %d\n", destroyed,
	       destroyed, n, n, gone, gone);
	return destroyed != 3 * rounds;
}
