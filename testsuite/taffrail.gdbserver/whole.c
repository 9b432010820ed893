/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * THREADS HITS: threads hit a marker at which a tracepoint can collect much.
 * Each thread calls tick() at every tenth hit; in finish() all threads have
 * ended.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taffrail/marker.h>

enum { THREADS_MAX = 16 };

char huge[4 << 20];
char big[1 << 20];
char part[128 << 10];
char piece[60000];
static long hits = 1;

static __attribute__((noinline)) void work(int thread, long i)
{
	TAFFRAIL_EVENT(app, hit, thread, i);
}

static __attribute__((noinline)) void tick(long i)
{
	__asm__ volatile("" : : "r"(i));
}

static __attribute__((noinline)) void finish(void)
{
	__asm__ volatile("");
}

static void *run(void *arg)
{
	int thread = (int)(long)arg;
	long i;

	for (i = 0; i < hits; i++) {
		work(thread, i);
		if (i % 10 == 9)
			tick(i);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? atol(argv[1]) : 1;
	pthread_t all[THREADS_MAX];
	long i;

	if (argc > 2)
		hits = atol(argv[2]);
	if (threads > THREADS_MAX)
		return 1;
	memset(huge, 'h', sizeof(huge));
	memset(big, 'b', sizeof(big));
	memset(part, 'p', sizeof(part));
	memset(piece, 'q', sizeof(piece));
	for (i = 0; i < threads; i++)
		if (pthread_create(&all[i], NULL, run, (void *)i))
			return 1;
	for (i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	finish();
	puts("finished");
	return 0;
}
