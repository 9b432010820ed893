/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program whose markers see variables that inner ones of the same name hide.
 * Prints "ready"; hits the markers until its input ends.
 *
 * What is hidden has values that differ from what hides it. With -O2 the hidden
 * argument of gone() is known at the function's entry only.
 */
#include <pthread.h>
#include <stdio.h>
#include <taffrail/marker.h>
#include <unistd.h>

static volatile int ended;
static volatile int seven = 7, nine = 9;	/* not known to the compiler */
static volatile long total;

/* The compiler cannot know that the library leaves a register alone. */
static __attribute__((noinline)) void use(long n)
{
	total += n + (getppid() == 0);
}

/* Two locals of one name, and an argument that a local hides. */
static __attribute__((noinline)) void nested(int depth, int kept)
{
	volatile int level = 10 * depth;

	use(level);
	{
		volatile int level = depth + 100;
		volatile int depth = level + 1000;

		TAFFRAIL_EVENT(app, nested, level, depth);
		use(level + depth);
	}
	use(kept);
}

static __attribute__((noinline)) void gone(long size, long round)
{
	use(size);
	{
		volatile long size = 3 * round;

		TAFFRAIL_EVENT(app, gone, round);
		use(size);
	}
	use(round);
}

static void *run(void *arg)
{
	while (!ended) {
		nested(seven, seven + 1);
		gone(nine + 68, nine);
		usleep(1000);
	}
	return arg;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL))
		return 1;
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	ended = 1;
	return pthread_join(thread, NULL);
}
