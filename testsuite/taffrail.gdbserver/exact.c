/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * THREADS HITS ROUNDS [ready]: in each of ROUNDS rounds, each of THREADS
 * threads hits one marker HITS times. After each round the program calls
 * round_done(), where a debugger may wait. With "ready", the program prints
 * that word and the number of the round, and waits for a line of input, before
 * each round. In the end it prints how many sums are right.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <taffrail/marker.h>

enum { THREADS_MAX = 16 };

static long threads = 1, hits = 1, rounds = 1;
static long sums[THREADS_MAX];
static volatile long last;
static int asks;
static pthread_barrier_t barrier;

static __attribute__((noinline)) void work(int thread, long i)
{
	TAFFRAIL_EVENT(app, hit, thread, i);
	sums[thread] += i;
}

static __attribute__((noinline)) void round_done(long round)
{
	TAFFRAIL_EVENT(app, turn, round);
	last = round;
}

static void ask(long round)
{
	if (!asks)
		return;
	printf("ready %ld\n", round);
	fflush(stdout);
	getchar();
}

static void *run(void *arg)
{
	int thread = (int)(long)arg;
	long round, i;

	for (round = 0; round < rounds; round++) {
		for (i = 0; i < hits; i++)
			work(thread, round * hits + i);
		if (pthread_barrier_wait(&barrier) ==
		    PTHREAD_BARRIER_SERIAL_THREAD) {
			round_done(round);
			ask(round + 1);
		}
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static long number(const char *text)
{
	long n = text ? atol(text) : 1;

	return n > 0 ? n : 1;
}

int main(int argc, char **argv)
{
	pthread_t all[THREADS_MAX];
	long n, i, right = 0;

	if (argc >= 4) {
		threads = number(argv[1]);
		hits = number(argv[2]);
		rounds = number(argv[3]);
	}
	if (threads > THREADS_MAX ||
	    pthread_barrier_init(&barrier, NULL, (unsigned)threads))
		return 1;
	asks = argc == 5;
	ask(0);
	n = hits * rounds;
	for (i = 0; i < threads; i++)
		if (pthread_create(&all[i], NULL, run, (void *)i))
			return 1;
	for (i = 0; i < threads; i++) {
		pthread_join(all[i], NULL);
		right += sums[i] == n * (n - 1) / 2;
	}
	printf("right %ld\n", right);
	return 0;
}
