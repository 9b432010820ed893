/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gdb examines this program while it runs: two threads hit markers, and the
 * first thread prints "ready" and waits for the end of its input. Then it
 * prints how often each thread worked, and how many sums are right: "right 2".
 *
 * "secret" as its argument makes it a program that is not dumpable, and has a
 * child.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2 };

struct job {
	pthread_t thread;
	long rounds;
	long sum;
};

volatile long rounds_done;		/* what gdb is asked to print */
const char *const motto = "log the course, stop nothing";
static struct job jobs[THREADS];
static volatile int ended;

static __attribute__((noinline)) void work(struct job *job)
{
	struct timespec delay = { .tv_nsec = 20000 };

	TAFFRAIL_EVENT(app, round, job->rounds, TAFFRAIL_STR(motto));
	job->sum += job->rounds++;
	TAFFRAIL_MARK(app, done, "sum %ld", job->sum);
	if (job->rounds % 64 == 0)
		nanosleep(&delay, NULL);
}

static void *run(void *arg)
{
	struct job *job = arg;

	while (!ended) {
		work(job);
		__atomic_fetch_add(&rounds_done, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	char line[64];
	int right = 0;
	int i;

	if (argc > 1 && !strcmp(argv[1], "secret")) {
		prctl(PR_SET_DUMPABLE, 0);
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
	}
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&jobs[i].thread, NULL, run, &jobs[i]))
			return 1;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		;
	ended = 1;
	for (i = 0; i < THREADS; i++) {
		pthread_join(jobs[i].thread, NULL);
		right += jobs[i].rounds > 0 &&
			 jobs[i].sum == jobs[i].rounds *
					(jobs[i].rounds - 1) / 2;
	}
	printf("right %d\n", right);
	return right == THREADS ? 0 : 1;
}
