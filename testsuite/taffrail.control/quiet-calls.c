/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * quiet-calls PROGRAM ARGS...: runs the program, and prints the numbers of all
 * system calls that it, its threads, its children and what they execute make
 * after it has made the call MARK, which no kernel has. Ends with the program's
 * status.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARK	5000
#define CALLS	1024
#define OPTIONS	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK |                \
		 PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |                 \
		 PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)

static int seen[CALLS];
static int marked;

/* Handles the entry and the end of a call. */
static void look(pid_t pid)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return;
	if (info.entry.nr == MARK)
		marked = 1;
	else if (marked && info.entry.nr < CALLS)
		seen[info.entry.nr] = 1;
}

/* Returns the signal with which a stopped thread continues. */
static int stopped(pid_t pid, int status)
{
	int signal = WSTOPSIG(status);

	if (signal == (SIGTRAP | 0x80)) {
		look(pid);
		return 0;
	}
	/* an event, or a new thread's first stop */
	if (status >> 16 || signal == SIGSTOP)
		return 0;
	return signal;
}

int main(int argc, char **argv)
{
	pid_t program = argc > 1 ? fork() : -1;
	int end = -1;
	int status;
	pid_t pid;
	int i;

	if (program < 0)
		return 1;
	if (!program) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	waitpid(program, &status, 0);
	ptrace(PTRACE_SETOPTIONS, program, 0, OPTIONS);
	ptrace(PTRACE_SYSCALL, program, 0, 0);
	while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (pid > 0 && WIFSTOPPED(status))
			ptrace(PTRACE_SYSCALL, pid, 0, stopped(pid, status));
		else if (pid == program)
			end = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	}
	for (i = 0; i < CALLS; i++)
		if (seen[i])
			printf("%d ", i);
	printf("\n");
	return end;
}
