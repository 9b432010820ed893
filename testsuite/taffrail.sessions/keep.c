/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two threads, on separate CPUs if there are two, write app:hit with a rate
 * that lines of input change:
 *	rate N	N events a second in each thread from now on; then "rate N"
 *	burst N	N events at once in each thread; then "burst N"
 *	filter	installs a filter of system calls that allows all; then
 *		"filtered"
 *	fork	a child that writes 4000 events of thread 2 in four seconds, and
 *		ends; then "forked PID"
 *	end	the end of the program, as is the end of the input
 * argv[1]: a file that gets two counters a thread: events begun, events done.
 * They are there after a kill. argv[2], argv[3]: the rate to begin with, and
 * the microseconds after which SIGKILL ends the program, 0 for never; they
 * count from the first event of the last thread.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, PAD = 900, CHILD_EVENTS = 4000, CHILD_RATE = 1000 };

struct count {
	volatile long begun;
	volatile long done;
};

static struct count *counts;
static volatile long rate;
static volatile int ended;
static volatile long burst[THREADS + 1];
static char pad[PAD + 1];

static long clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Writes up to `most` events of thread `who`, in bursts of a millisecond. */
static void events_write(int who, long most, struct count *count,
			 volatile long *per_second)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	long last = clock_now_ns(), due = 0;

	while (!ended && count->done < most) {
		long now = clock_now_ns();

		/* in parts of 1e-9 events; what a late thread missed is written
		 * at once, for 100 ms at most */
		due += (now - last > 100000000 ? 100000000 : now - last) *
		       *per_second;
		last = now;
		due += burst[who] * 1000000000;
		for (; due >= 1000000000 && count->done < most;
		     due -= 1000000000) {
			long n = count->done;

			count->begun = n + 1;
			TAFFRAIL_EVENT(app, hit, who, n, TAFFRAIL_STR(pad));
			count->done = n + 1;
		}
		burst[who] = 0;
		nanosleep(&pause, NULL);
	}
}

static void *thread_run(void *arg)
{
	int who = (int)(long)arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(who, &set);
	/* one CPU serves as well */
	sched_setaffinity(0, sizeof(set), &set);
	events_write(who, __LONG_MAX__, &counts[who], &rate);
	return NULL;
}

static int child_run(void)
{
	volatile long per_second = CHILD_RATE;
	struct count count = { 0, 0 };

	events_write(THREADS, CHILD_EVENTS, &count, &per_second);
	return 0;
}

static int filter_install(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { .len = 1, .filter = &allow };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void *killer_run(void *arg)
{
	for (int i = 0; i < THREADS; i++)
		while (!counts[i].done)
			usleep(1000);
	usleep((useconds_t)(long)arg);
	kill(getpid(), SIGKILL);
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = argc > 3 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) :
			    -1;
	pthread_t threads[THREADS + 1];
	char line[64];
	long us;
	pid_t child;

	if (fd < 0 || ftruncate(fd, sizeof(*counts) * THREADS))
		return 2;
	counts = mmap(NULL, sizeof(*counts) * THREADS, PROT_READ | PROT_WRITE,
		      MAP_SHARED, fd, 0);
	if (counts == MAP_FAILED)
		return 2;
	memset(pad, 'x', PAD);
	rate = atol(argv[2]);
	us = atol(argv[3]);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread_run, (void *)i);
	if (us)
		pthread_create(&threads[THREADS], NULL, killer_run, (void *)us);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n")) {
		if (sscanf(line, "rate %ld", &us) == 1) {
			rate = us;
			printf("rate %ld\n", us);
		} else if (sscanf(line, "burst %ld", &us) == 1) {
			for (int i = 0; i < THREADS; i++)
				burst[i] = us;
			for (int i = 0; i < THREADS; i++)
				while (burst[i])
					usleep(1000);
			printf("burst %ld\n", us);
		} else if (!strcmp(line, "filter\n")) {
			puts(filter_install() ? "no filter" : "filtered");
		} else if (!strcmp(line, "fork\n")) {
			child = fork();
			if (!child)
				_exit(child_run());
			waitpid(child, NULL, 0);
			printf("forked %d\n", child);
		}
		fflush(stdout);
	}
	ended = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
