/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passes markers of every kind of writer:
 *	stepped N	N rounds in one thread
 *	stepped		two threads, until its input says something or ends
 * Prints how many events that were: "emitted 1200".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, MARKERS = 4, PAUSE_NS = 100000 };

static volatile int stop;
static char bytes[200];
static char word[600];

__attribute__((noinline)) void stepped_round(long n)
{
	TAFFRAIL_EVENT(app, one, n);
	TAFFRAIL_EVENT(app, text, n, TAFFRAIL_FIELD(s, (const char *)word));
	TAFFRAIL_EVENT(app, block, n, TAFFRAIL_BYTES(bytes, sizeof(bytes)));
	TAFFRAIL_MARK(app, mark, "n %ld s %s", n, "marked");
}

static void *run(void *arg)
{
	struct timespec pause = { .tv_nsec = PAUSE_NS };
	long n;

	for (n = 0; !stop; n++) {
		stepped_round(n);
		nanosleep(&pause, NULL);
	}
	*(long *)arg = n;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	long counts[THREADS] = { 0 };
	long rounds = argc > 1 ? atol(argv[1]) : 0;
	char byte;
	int i;

	memset(word, 'w', sizeof(word) - 1);
	/* Yama lets only ancestors attach, unless told */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	for (i = 0; i < rounds; i++)
		stepped_round(i);
	if (argc > 1) {
		printf("emitted %ld\n", rounds * MARKERS);
		return 0;
	}
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, &counts[i]))
			return 1;
	printf("ready %d\n", getpid());
	fflush(stdout);
	if (read(0, &byte, 1) < 0)
		return 1;
	stop = 1;
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		rounds += counts[i];
	}
	printf("emitted %ld\n", rounds * MARKERS);
	return 0;
}
