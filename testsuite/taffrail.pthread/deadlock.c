/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two threads that each hold the lock that the other one waits for, and one
 * that waits for its own. The first thread gives up one of these locks three
 * times, and ends the program.
 *
 *	deadlock	prints "thread NAME TID" for left, right and own
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define APART		__attribute__((noinline, noclone))
#define TRIES		3
#define TRY_NS		2000000

static pthread_mutex_t left_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

struct pair {
	pthread_mutex_t *first, *second;
	int tid;
};

static APART void take_first(struct pair *pair)
{
	pthread_mutex_lock(pair->first);
	pthread_barrier_wait(&barrier);
}

static APART void want_second(struct pair *pair)
{
	pthread_mutex_lock(pair->second);
	__asm__ volatile("" ::: "memory");
}

static void *take_both(void *arg)
{
	struct pair *pair = arg;

	pair->tid = (int)syscall(SYS_gettid);
	take_first(pair);
	want_second(pair);
	abort();
}

/* Waits until the kernel says that the thread waits for its second lock. */
static void await_wait(const struct pair *pair)
{
	char path[64], want[32], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", pair->tid);
	snprintf(want, sizeof(want), " 0x%lx ", (unsigned long)pair->second);
	do {
		usleep(1000);
		file = fopen(path, "r");
		if (!file || !fgets(line, sizeof(line), file))
			exit(77);
		fclose(file);
	} while (!strstr(line, want));
}

static APART void give_up(pthread_mutex_t *lock)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += TRY_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	if (pthread_mutex_timedlock(lock, &until) != ETIMEDOUT)
		abort();
}

int main(void)
{
	static struct pair pairs[] = {
		{ &left_lock, &right_lock, 0 },
		{ &right_lock, &left_lock, 0 },
		{ &own_lock, &own_lock, 0 },
	};
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, take_both, &pairs[i]);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 3; i++)
		await_wait(&pairs[i]);
	for (int i = 0; i < TRIES; i++)
		give_up(&left_lock);
	printf("thread left %d right %d own %d\n", pairs[0].tid, pairs[1].tid,
	       pairs[2].tid);
	return 0;
}
