/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads of all kinds that write events, each with its thread's own number,
 * which the trace must tell, too.
 *
 * writers N [wait]: N events of each thread, then of a child; `wait` leaves the
 * process there until a line comes.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

#define TLS_BYTES	(256 << 10)
#define STACK_BYTES	(256 << 10)

static int count;

static void write_one(int i)
{
	int me = (int)syscall(SYS_gettid);

	if (i % 3)
		TAFFRAIL_EVENT(writers, step, me, i);
	else
		TAFFRAIL_MARK(writers, text, "me %d text %s", me, "of a thread");
}

static void handler(int sig)
{
	write_one(sig);
}

static void *write_all(void *none)
{
	for (int i = 0; i < count; i++) {
		write_one(i);
		if (i % 100 == 0)
			sched_yield();
	}
	return none;
}

static void threads_run(int n)
{
	pthread_t threads[8];

	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, write_all, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

/* A thread of which libc knows nothing, and whose thread-local memory is all
 * zeros but for its own address. */
static volatile int strange_done;

static int strange_write(void *none)
{
	(void)none;
	for (int i = 0; i < 10; i++)
		write_one(i);
	strange_done = 1;
	syscall(SYS_exit, 0);
	return 0;
}

static void strange_run(void)
{
	char *memory = mmap(NULL, TLS_BYTES + STACK_BYTES,
			    PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *tls = memory + TLS_BYTES / 2;

	memcpy(tls, &tls, sizeof(tls));
	memcpy(tls + 16, &tls, sizeof(tls));
	if (clone(strange_write, memory + TLS_BYTES + STACK_BYTES,
		  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
			  CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS,
		  NULL, NULL, tls, NULL) < 0)
		abort();
	while (!strange_done)
		usleep(1000);
}

/*
 * A child that shares this thread's memory writes: its event is told as its
 * own, or as this thread's ("me" is 0), but the events behind it are this
 * thread's.
 */
static void guest_run(void)
{
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		if (!vfork()) {
			int me = 0, i = 0;

			TAFFRAIL_EVENT(writers, step, me, i);
			_exit(0);
		}
		wait(NULL);
		write_one(1);
		write_one(2);
	}
	sched_setaffinity(0, sizeof(all), &all);
}

static void children_run(void)
{
	/* libc has the parent's number of the child's thread */
	for (int guest_first = 0; guest_first < 2; guest_first++) {
		if (!syscall(SYS_fork)) {
			if (!guest_first)
				write_all(NULL);
			guest_run();
			write_all(NULL);
			_exit(0);
		}
		wait(NULL);
		if (!fork()) {
			if (!guest_first)
				write_all(NULL);
			guest_run();
			write_all(NULL);
			_exit(0);
		}
		wait(NULL);
	}
	/* another thread of the child comes first */
	if (!fork()) {
		threads_run(1);
		write_all(NULL);
		_exit(0);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } };
	struct itimerval never = { { 0, 0 }, { 0, 0 } };

	count = argc > 1 ? atoi(argv[1]) : 1000;
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &every, NULL);
	threads_run(4);
	strange_run();
	setitimer(ITIMER_REAL, &never, NULL);
	children_run();
	write_all(NULL);
	if (argc > 2 && puts("ready") && !fflush(stdout) && getchar() != EOF)
		write_all(NULL);
	return 0;
}
