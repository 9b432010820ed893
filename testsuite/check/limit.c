/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * limit SECONDS PROGRAM ARGS...: runs a program in a process group of its own,
 * which gets SIGTERM when the seconds are over, and SIGKILL five seconds later.
 *
 * Its status is the program's, 128 + N where signal N has ended the program,
 * 124 where SIGTERM was sent, 127 where the program cannot be run: as of
 * timeout(1), which takes three times the time of a CPU. A test starts hundreds
 * of programs.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KILL_SECONDS	5

/* Waits until the child has ended, or the time is over: returns 0. */
static int wait_child(pid_t pid, int *status, const sigset_t *child,
		      const struct timespec *end)
{
	struct timespec now, left;

	while (waitpid(pid, status, WNOHANG) != pid) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		left.tv_sec = end->tv_sec - now.tv_sec - 1;
		left.tv_nsec = 1000000000 + end->tv_nsec - now.tv_nsec;
		if (left.tv_nsec >= 1000000000) {
			left.tv_sec++;
			left.tv_nsec -= 1000000000;
		}
		if (left.tv_sec < 0)
			return 0;
		sigtimedwait(child, NULL, &left);
	}
	return 1;
}

int main(int argc, char **argv)
{
	struct timespec end;
	sigset_t child, before;
	int status = 0;
	pid_t pid;

	if (argc < 3)
		return 125;
	setpgid(0, 0);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += atoi(argv[1]);
	pid = vfork();
	if (!pid) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0)
		return 125;
	if (!wait_child(pid, &status, &child, &end)) {
		signal(SIGTERM, SIG_IGN);
		kill(0, SIGTERM);
		kill(0, SIGCONT);
		end.tv_sec += KILL_SECONDS;
		if (wait_child(pid, &status, &child, &end))
			return 124;
		kill(0, SIGKILL);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}
