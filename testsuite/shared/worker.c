/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two threads, on separate CPUs if there are two, write what lines of input
 * say:
 *	go N	N times app:hit and other:tick in each thread, then "done T",
 *		T being the number of app:hit of each thread so far
 *	run	the same without an end
 *	halt	ends the run; then "halted N0 N1"
 *	fork	a child that does `go 100` in one thread and ends, "forked"
 *	end	the end of the program, as is the end of the input
 * argv[1]: nanoseconds between two rounds. argv[2]: a file that gets two
 * counters a thread: rounds begun, rounds done. They are there after a kill.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2 };

struct count {
	volatile long begun;
	volatile long done;
};

static struct count *counts;
static long delay_ns;
static volatile long wanted;		/* rounds, of each thread */
static volatile int halted = 1;
static pthread_barrier_t begin, end;

static void rounds(const char *who, struct count *count)
{
	struct timespec delay = { .tv_nsec = delay_ns };

	while (!halted && count->done < wanted) {
		long n = count->done;

		count->begun = n + 1;
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
		TAFFRAIL_EVENT(other, tick, TAFFRAIL_STR(who), n);
		count->done = n + 1;
		if (delay_ns)
			nanosleep(&delay, NULL);
	}
}

static void *work(void *arg)
{
	static const char *const names[THREADS] = { "first", "second" };
	int i = (int)(long)arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(i, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (;;) {
		pthread_barrier_wait(&begin);
		rounds(names[i], &counts[i]);
		pthread_barrier_wait(&end);
	}
	return NULL;
}

static void halt(void)
{
	halted = 1;
	pthread_barrier_wait(&end);
	printf("halted %ld %ld\n", counts[0].done, counts[1].done);
}

static void child(void)
{
	struct count count = { 0, 0 };
	pid_t pid = fork();

	if (!pid) {
		wanted = 100;
		halted = 0;
		rounds("child", &count);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	puts("forked");
}

static void obey(const char *line)
{
	if (!strncmp(line, "go ", 3)) {
		wanted = counts[0].done + atol(line + 3);
		halted = 0;
		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&end);
		printf("done %ld\n", counts[0].done);
	} else if (!strcmp(line, "run\n")) {
		wanted = __LONG_MAX__;
		halted = 0;
		pthread_barrier_wait(&begin);
		puts("running");
	} else if (!strcmp(line, "halt\n")) {
		halt();
	} else if (!strcmp(line, "fork\n")) {
		child();
	} else {
		exit(0);
	}
	fflush(stdout);
}

static int map_counts(const char *path)
{
	size_t bytes = THREADS * sizeof(*counts);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		return -1;
	counts = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return counts == MAP_FAILED ? -1 : 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char line[64];
	long i;

	if (argc != 3 || map_counts(argv[2]))
		return 2;
	delay_ns = atol(argv[1]);
	pthread_barrier_init(&begin, NULL, THREADS + 1);
	pthread_barrier_init(&end, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread, NULL, work, (void *)i))
			return 1;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		obey(line);
	return 0;
}
