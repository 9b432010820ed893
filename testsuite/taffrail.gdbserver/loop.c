/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program for gdbserver: hits two markers argv[1] times (default: 10), says
 * so, and ends with status 3. With argv[2] "wait" it then waits until it is
 * killed; with "again" it continues to hit them, a thousand times a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <taffrail/marker.h>
#include <unistd.h>

volatile int counter;
const char *const motto = "log the course";
char filler[65536] = "filled";

static __attribute__((noinline)) long work(int i)
{
	volatile long weight = i * 2L;

	counter++;
	TAFFRAIL_MARK(app, done, "sum %ld", weight);
	TAFFRAIL_EVENT(app, round, i, TAFFRAIL_STR(motto));
	return weight;
}

static __attribute__((noinline)) void finish(void)
{
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10;
	long sum = 0;

	for (int i = 0; i < rounds; i++)
		sum += work(i);
	finish();
	for (int i = 0; argc > 2 && *argv[2] == 'a'; i++) {
		work(i);
		usleep(1000);
	}
	while (argc > 2)
		counter = counter + (sum == 0);
	printf("rounds %d sum %ld filler %s\n", rounds, sum, filler);
	return 3;
}
