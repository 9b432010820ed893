/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes that only their numbers could tell from others.
 *
 *	identity again N	N children, one after the other, get the pid
 *				100; many begin in one tick of the clock. Each
 *				hits 10 times: 10 N. Needs a new PID namespace
 *	identity kill N		the same; each kills itself
 *	identity hidden		hits 10 times, may not be looked at by others of
 *				its user, waits for input, and hits 10 times: 20
 */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

#define NUMBER	100

static void hit(void)
{
	for (int i = 0; i < 10; i++)
		TAFFRAIL_EVENT(app, hit, i);
}

static pid_t fork_as(pid_t number)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&number,
		.set_tid_size = 1,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static int run_again(int n, int kills)
{
	while (n-- > 0) {
		pid_t pid = fork_as(NUMBER);

		if (pid < 0)
			return 77;
		if (!pid) {
			hit();
			if (kills)
				kill(getpid(), SIGKILL);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	return 0;
}

static int run_hidden(void)
{
	char byte;

	prctl(PR_SET_DUMPABLE, 0);
	hit();
	puts("ready");
	fflush(stdout);
	if (read(0, &byte, 1) < 0)
		return 1;
	hit();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2)
		return run_again(atoi(argv[2]), !strcmp(argv[1], "kill"));
	return run_hidden();
}
