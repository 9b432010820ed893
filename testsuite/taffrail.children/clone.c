/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads that libc does not know, made by clone() alone: they have the thread
 * pointer of the thread that made them, and no registration with rseq. They
 * write while main writes; so does a child process that shares our memory.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

enum { THREADS = 4, EVENTS = 5000, STACK_BYTES = 1 << 16 };

static const char *const names[THREADS] = { "raw0", "raw1", "raw2", "raw3" };
static uint32_t tids[THREADS];

static void hit(const char *who)
{
	int n;

	for (n = 0; n < EVENTS; n++)
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
}

static int raw_thread(void *arg)
{
	hit(arg);
	/* exit_group would end the process */
	syscall(SYS_exit, 0);
	return 0;
}

/* A process that shares our memory, as posix_spawn makes. */
static int raw_process(void *arg)
{
	hit(arg);
	_exit(0);
}

static void wait_threads(void)
{
	int i;

	for (i = 0; i < THREADS; i++) {
		uint32_t seen;

		while ((seen = __atomic_load_n(&tids[i], __ATOMIC_ACQUIRE)))
			syscall(SYS_futex, &tids[i], FUTEX_WAIT, seen, NULL,
				NULL, 0);
	}
}

int main(void)
{
	int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
		    CLONE_THREAD | CLONE_SYSVSEM | CLONE_PARENT_SETTID |
		    CLONE_CHILD_CLEARTID;
	char *stack;
	int i;

	for (i = 0; i < THREADS; i++) {
		stack = malloc(STACK_BYTES);
		if (!stack || clone(raw_thread, stack + STACK_BYTES, flags,
				    (void *)names[i], &tids[i], NULL,
				    &tids[i]) < 0)
			return 1;
	}
	hit("main");
	wait_threads();
	stack = malloc(STACK_BYTES);
	if (!stack || clone(raw_process, stack + STACK_BYTES,
			    CLONE_VM | CLONE_VFORK | SIGCHLD,
			    "process", NULL, NULL, NULL) < 0 ||
	    wait(NULL) < 0)
		return 1;
	hit("end");
	return 0;
}
