/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that hits markers on request. It prints "ready" and the addresses
 * of some variables. Then at each line "N" on its input every thread hits
 * app/hit N times, and the answer is "done".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <taffrail/marker.h>

enum { THREADS = 4 };

static pthread_barrier_t begin, end;
static long rounds;
static volatile long total;
static const char *endless;

static __attribute__((noinline)) void hit(long who, long n)
{
	TAFFRAIL_EVENT(app, hit, who, n);
	__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) void twice(long n)
{
	TAFFRAIL_EVENT(app, first, n);
	TAFFRAIL_EVENT(app, second, n, TAFFRAIL_STR(endless));
}

static void *work(void *arg)
{
	long i;

	for (;;) {
		pthread_barrier_wait(&begin);
		if (rounds < 0)
			return arg;
		for (i = 0; i < rounds; i++)
			hit((long)arg, i);
		pthread_barrier_wait(&end);
	}
}

int main(void)
{
	pthread_t threads[THREADS];
	char *text = malloc(100001);
	char line[64];
	long i;

	for (i = 0; i < 100000; i++)
		text[i] = (char)('a' + i % 26);
	text[i] = 0;
	endless = text;
	pthread_barrier_init(&begin, NULL, THREADS + 1);
	pthread_barrier_init(&end, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			return 1;
	printf("ready total=%p text=%p\n", (void *)&total, (void *)text);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		rounds = atol(line);
		if (rounds < 0) {	/* the main thread, for itself */
			for (i = 0; i < -rounds; i++)
				twice(i);
		} else {
			pthread_barrier_wait(&begin);
			pthread_barrier_wait(&end);
		}
		puts("done");
		fflush(stdout);
	}
	rounds = -1;
	pthread_barrier_wait(&begin);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
