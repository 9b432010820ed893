/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * THREADS HITS: THREADS threads hit one marker HITS times each. Ends in
 * finished(), where a debugger may wait, and prints whether all sums are right.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <taffrail/marker.h>

enum { THREADS_MAX = 16 };

static long hits;
static long sums[THREADS_MAX];

static __attribute__((noinline)) void work(int thread, long i)
{
	TAFFRAIL_EVENT(app, hit, thread, i);
	sums[thread] += i;
}

static void *run(void *arg)
{
	long i;

	for (i = 0; i < hits; i++)
		work((int)(long)arg, i);
	return NULL;
}

static __attribute__((noinline)) void finished(void)
{
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	long n = argc > 2 ? atol(argv[1]) : 1;
	int right = 0;
	long i;

	hits = argc > 2 ? atol(argv[2]) : 1;
	for (i = 0; i < n && i < THREADS_MAX; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			return 1;
	for (i = 0; i < n && i < THREADS_MAX; i++) {
		pthread_join(threads[i], NULL);
		right += sums[i] == hits * (hits - 1) / 2;
	}
	finished();
	printf("right %d\n", right);
	return 0;
}
