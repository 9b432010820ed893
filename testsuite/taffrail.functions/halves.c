/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of which the value tells the argument: turn(N) returns N ^ KEY. Threads
 * call it, also from itself, and leave some calls by longjmp().
 *
 *	halves CALLS [MICROSECONDS]	waits so long after each 64 calls
 *	halves within		calls inner() from first() and second()
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEY	0x5a5a5a5aL
#define THREADS	3

static long calls;
static useconds_t pause_us;
static __thread jmp_buf out;
static __thread unsigned int seed;

static unsigned int random_next(void)
{
	return (seed = seed * 1103515245 + 12345) >> 8;
}

__attribute__((noinline, noclone)) long turn(long n, int left)
{
	long more = 0;

	if (left > 0 && random_next() % 3)
		more = turn(n + 1, left - 1);
	if (random_next() % 16 == 0)
		longjmp(out, 1);
	__asm__ volatile("" : "+r"(more));
	return n ^ KEY;
}

__attribute__((noinline, noclone)) int inner(int n)
{
	usleep(10);
	return n + 1;
}

__attribute__((noinline, noclone)) int first(int n)
{
	return inner(n) + 1;
}

__attribute__((noinline, noclone)) int second(int n)
{
	return inner(n) + 2;
}

static void *work(void *arg)
{
	long number = (long)arg;
	volatile long i = 0;

	seed = (unsigned int)number * 77 + 1;
	while (i < calls) {
		if (!setjmp(out))
			turn((number << 40) + i * 64, (int)(random_next() % 6));
		i = i + 1;
		if (i % 64 == 0)
			usleep(pause_us);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < 20 && !strcmp(argv[1], "within"); i++)
		(i < 5 ? first : second)(i);
	calls = atol(argv[1]);
	pause_us = argc > 2 ? (useconds_t)atoi(argv[2]) : 0;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
