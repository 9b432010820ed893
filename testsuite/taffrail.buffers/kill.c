/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Children that are killed at any moment of their writing.
 *	kill CHILDREN SEED PAD: PAD bytes more in each event
 * Each of their threads counts its events in memory that it shares with the
 * parent. The parent prints "NAME LEAST MOST" for each thread, because the
 * event that was being written may or may not be there.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 16, EVENTS_MAX = 3000, PAD_MAX = 400 };

static char pad[PAD_MAX + 1];

static struct progress {
	volatile int before;
	volatile int after;
} *progress;			/* of the child's threads */

static int child;
static int threads;

static void *write_all(void *arg)
{
	struct progress *own = arg;
	char who[24];
	int n;

	snprintf(who, sizeof(who), "child%d.%d", child, (int)(own - progress));
	for (n = 0; n < EVENTS_MAX / threads; n++) {
		own->before = n + 1;
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n,
			       TAFFRAIL_STR(pad));
		own->after = n + 1;
	}
	for (;;)
		pause();
	return NULL;
}

static void be_child(void)
{
	pthread_t thread;
	int i;

	for (i = 1; i < threads; i++)
		if (pthread_create(&thread, NULL, write_all, progress + i))
			_exit(1);
	write_all(progress);
}

/* Waits until any moment, or until a moment of a thread's writing. */
static void wait_for(void)
{
	struct timespec delay = { .tv_nsec = rand() % 400000 };
	struct progress *one = progress + rand() % threads;
	int events = rand() % (EVENTS_MAX / threads - 1);
	int kind = rand() % 4;

	if (kind)
		while (!one->before)
			;
	if (kind < 2)
		nanosleep(&delay, NULL);
	else
		while (one->after <= events)
			;
}

static int run_one(void)
{
	pid_t pid;
	int i;

	memset(progress, 0, THREADS_MAX * sizeof(*progress));
	threads = 1 + rand() % THREADS_MAX;
	pid = fork();
	if (!pid)
		be_child();
	if (pid < 0)
		return 1;
	wait_for();
	kill(pid, SIGKILL);
	if (waitpid(pid, NULL, 0) != pid)
		return 1;
	for (i = 0; i < threads; i++)
		printf("child%d.%d %d %d\n", child, i, progress[i].after,
		       progress[i].before);
	return 0;
}

int main(int argc, char **argv)
{
	int children = argc == 4 ? atoi(argv[1]) : 0;

	progress = mmap(NULL, THREADS_MAX * sizeof(*progress),
			PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			0);
	if (progress == MAP_FAILED || !children || atoi(argv[3]) > PAD_MAX)
		return 2;
	srand((unsigned int)atoi(argv[2]));
	memset(pad, 'x', (size_t)atoi(argv[3]));
	for (; child < children; child++)
		if (run_one())
			return 1;
	return 0;
}
