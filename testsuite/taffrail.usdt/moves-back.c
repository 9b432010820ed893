/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moves threads that have executed an int3 back to it, as gdb 13 does while it
 * attaches, and lets them have the signal.
 *
 *	moves-back PID N
 *
 * Does so N times; each second time only the lower half of the program counter
 * is left. Prints "moved N". Ends with 77 if it may not trace the process.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>

#define THREADS_MAX	16

/* Returns the signal that a thread has stopped for; 0: it has another reason,
 * or there is no thread. `trap` tells whether it was an int3. */
static int signal_of(pid_t thread, int status, int *trap)
{
	siginfo_t info;

	*trap = 0;
	if (!WIFSTOPPED(status) || status >> 16)
		return 0;
	if (WSTOPSIG(status) == SIGTRAP &&
	    !ptrace(PTRACE_GETSIGINFO, thread, NULL, &info))
		*trap = info.si_code == SI_KERNEL;
	return WSTOPSIG(status);
}

int main(int argc, char **argv)
{
	pid_t threads[THREADS_MAX];
	struct user_regs_struct regs;
	struct dirent *entry;
	char path[64];
	int n = 0, count = 0, status, trap, signal;
	DIR *dir;

	if (argc < 3)
		return 2;
	snprintf(path, sizeof(path), "/proc/%s/task", argv[1]);
	dir = opendir(path);
	while (dir && n < THREADS_MAX && (entry = readdir(dir))) {
		threads[n] = atoi(entry->d_name);
		if (threads[n] &&
		    !ptrace(PTRACE_SEIZE, threads[n], NULL, NULL))
			n++;
		else if (threads[n])
			return errno == EPERM ? 77 : 1;
	}
	while (n && count < atoi(argv[2])) {
		pid_t thread = waitpid(-1, &status, __WALL);

		if (thread < 0 || !WIFSTOPPED(status))
			break;
		signal = signal_of(thread, status, &trap);
		if (trap && !ptrace(PTRACE_GETREGS, thread, NULL, &regs)) {
			regs.rip--;
			if (count++ & 1)
				regs.rip &= UINT32_MAX;
			ptrace(PTRACE_SETREGS, thread, NULL, &regs);
		}
		ptrace(PTRACE_CONT, thread, NULL, signal);
	}
	while (n--) {
		ptrace(PTRACE_INTERRUPT, threads[n], NULL, NULL);
		if (waitpid(threads[n], &status, __WALL) != threads[n])
			continue;
		signal = signal_of(threads[n], status, &trap);
		ptrace(PTRACE_DETACH, threads[n], NULL, signal);
	}
	printf("moved %d\n", count);
	return 0;
}
