/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts instructions: "steps PROGRAM ARGS..." starts a program that traces
 * itself (PTRACE_TRACEME) and stops by SIGSTOP before and behind each piece of
 * work. Prints how many instructions of that thread each piece took; those
 * behind the first STEPS_MAX are not counted.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS_MAX	20000

static int stopped(pid_t child, int *status)
{
	return waitpid(child, status, 0) == child && WIFSTOPPED(*status);
}

/* Goes on to the next SIGSTOP. Returns -1 if the program has ended instead. */
static int go(pid_t child, int *status)
{
	int signal = 0;

	do {
		if (ptrace(PTRACE_CONT, child, NULL, signal) ||
		    !stopped(child, status))
			return -1;
		signal = WSTOPSIG(*status);
	} while (signal != SIGSTOP);
	return 0;
}

/* Does the same one instruction at a time, and counts them. */
static long step(pid_t child, int *status)
{
	long n;

	for (n = 0; n < STEPS_MAX; n++) {
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, 0) ||
		    !stopped(child, status))
			return -1;
		if (WSTOPSIG(*status) == SIGSTOP)
			return n;
	}
	return go(child, status) ? -1 : n;
}

int main(int argc, char **argv)
{
	pid_t child = fork();
	int status = 0;
	long n;

	if (argc < 2)
		return 2;
	if (!child) {
		execv(argv[1], argv + 1);
		_exit(127);
	}
	if (!stopped(child, &status))
		return 1;
	do {
		n = step(child, &status);
		if (n >= 0)
			printf("%ld\n", n);
	} while (n >= 0 && !go(child, &status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
