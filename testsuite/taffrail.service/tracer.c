/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * tracer PID: stops the first thread of a process for an instant, again and
 * again, as debuggers and other commands do, until the process has ended.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAUSE_US	200

int main(int argc, char **argv)
{
	pid_t pid = argc == 2 ? atoi(argv[1]) : 0;
	int status;

	while (pid && !kill(pid, 0)) {
		if (!ptrace(PTRACE_SEIZE, pid, NULL, NULL)) {
			ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
			if (waitpid(pid, &status, __WALL) == pid &&
			    !WIFSTOPPED(status))
				return 0;
			usleep(PAUSE_US);
			ptrace(PTRACE_DETACH, pid, NULL, NULL);
		}
		usleep(PAUSE_US);
	}
	return 0;
}
