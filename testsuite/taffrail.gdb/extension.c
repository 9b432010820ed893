/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Three threads that hit markers of each kind, for gdb's extension. Prints
 * "ready"; ends with its input and prints "right 3".
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3 };

struct job {
	pthread_t thread;
	volatile long rounds;		/* gdb waits for it to grow */
	long sum;
	int tid;
	double ms;			/* gdb cannot translate this */
};

struct job jobs[THREADS];
static const char *const urls[] = { "/index", "/a \"quoted\", b = 1" };
static volatile int ended;
static int begun;		/* threads */
char word[] = "word";

/* A marker whose code the program has twice. */
static inline __attribute__((always_inline)) void twin(int side)
{
	TAFFRAIL_EVENT(app, twin, side);
}

static __attribute__((noinline)) void work(struct job *job)
{
	/* gdb's buffer must not be full before gdb goes on */
	struct timespec delay = { .tv_nsec = 500000 };
	int id = (int)(job->rounds % 1000);
	const char *url = urls[id & 1];
	int pair[2] = { id, -id };
	double ms = id / 4.0;

	TAFFRAIL_EVENT(app, request, id, job->tid, TAFFRAIL_STR(url), ms,
		       TAFFRAIL_ARRAY(pair, 2));
	twin(1);
	TAFFRAIL_MARK(app, done, "id %d url %s tid %d", id, url, job->tid);
	twin(2);
	job->sum += job->rounds++;
	nanosleep(&delay, NULL);
}

static void *run(void *arg)
{
	struct job *job = arg;

	job->tid = (int)syscall(SYS_gettid);
	__atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE);
	while (!ended)
		work(job);
	return NULL;
}

int main(void)
{
	char line[64];
	int right = 0;
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&jobs[i].thread, NULL, run, &jobs[i]))
			return 1;
	/* gdb reads their numbers */
	while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < THREADS)
		usleep(1000);
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
