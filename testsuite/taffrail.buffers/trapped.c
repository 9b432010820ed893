/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hits app/hit while it steps itself by the trap flag, with a handler of
 * SIGTRAP: three times; twice in a child of a bare fork, which is stepped from
 * its first instruction on, and then once more; and once in a child of fork(2),
 * which sets the flag for that. Prints how the children ended.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

#define FLAGS(change)	__asm__ volatile("sub $128, %%rsp\n\tpushfq\n\t"    \
					 change ", (%%rsp)\n\tpopfq\n\t"    \
					 "add $128, %%rsp" : : : "memory", "cc")
#define STEP()		FLAGS("orq $0x100")
#define RUN()		FLAGS("andq $~0x100")

static volatile long steps;

static void handler(int number)
{
	(void)number;
	steps++;
}

static __attribute__((noinline)) void hit(int n)
{
	TAFFRAIL_EVENT(app, hit, n);
}

static int status_of(long pid)
{
	int status = -1;

	waitpid((pid_t)pid, &status, 0);
	return status;
}

int main(void)
{
	long pid;

	signal(SIGTRAP, handler);
	for (int i = 0; i < 3; i++) {
		STEP();
		hit(i);
		RUN();
	}
	STEP();
	pid = syscall(SYS_fork);
	if (!pid) {
		hit(10);
		hit(11);
		RUN();
		hit(12);
		_exit(0);
	}
	RUN();
	printf("bare %d\n", status_of(pid));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		STEP();
		hit(20);
		RUN();
		exit(0);
	}
	printf("child %d\nstepped %d\n", status_of(pid), steps > 100);
	return 0;
}
