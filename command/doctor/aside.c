/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Work in children: calls for which a filter may kill, and other programs.
 *
 * What must stay true: a program that hangs is ended, with its children, after
 * its time; its output is input from elsewhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/common/monotonic.h"
#include "command/doctor/private.h"

#define NS_PER_MS	1000000
#define MS_PER_S	1000

int aside(int (*call)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(call());
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return ASIDE_NOT;
	if (pid < 0)
		return ASIDE_NOT;
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* In the child: executes the program, or reports the errno through `failure`.
 * It has a process group, so that its children can be ended, too, and leaves no
 * core. */
static void become(const struct run *run, int output, int failure, pid_t parent)
{
	const struct rlimit none = { 0 };
	int null, error;

	setrlimit(RLIMIT_CORE, &none);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	error = errno;
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(run->errors ? null : output, STDOUT_FILENO);
		dup2(run->errors ? output : null, STDERR_FILENO);
		execvpe(run->argv[0], run->argv, run->environment);
		error = errno;
	}
	if (write(failure, &error, sizeof(error)) < 0)
		_exit(1);
	_exit(1);
}

/* Reads to the end of the output, or of the time. Returns 0 or -ETIMEDOUT. */
static int read_output(int fd, int seconds, char *text, size_t room)
{
	int64_t end = monotonic_ms() + (int64_t)seconds * MS_PER_S;
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	char beyond[512] = "";
	size_t used = 0;

	for (;;) {
		int64_t left = end - monotonic_ms();
		bool full = used + 1 >= room;
		ssize_t n;

		text[used] = '\0';
		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(&wait, 1, (int)left) <= 0)
			continue;
		n = read(fd, full ? beyond : text + used,
			 full ? sizeof(beyond) : room - 1 - used);
		if (n == 0 || (n < 0 && errno != EINTR))
			return 0;
		if (n > 0 && !full)
			used += (size_t)n;
	}
}

int aside_run(const struct run *run, char *text, size_t room)
{
	int output[2], failure[2], error = 0, status = 0, ret;
	pid_t pid, parent = getpid();

	text[0] = '\0';
	if (pipe2(output, O_CLOEXEC))
		return -errno;
	if (pipe2(failure, O_CLOEXEC)) {
		error = errno;
		goto close_output;
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		become(run, output[1], failure[1], parent);
	if (pid < 0)
		error = errno;
	if (run->pid)
		*run->pid = pid > 0 ? pid : 0;
	close(output[1]);
	close(failure[1]);
	if (pid > 0 && read(failure[0], &error, sizeof(error)) <= 0)
		error = 0;
	ret = error ? -error :
		      read_output(output[0], run->seconds, text, room);
	if (ret == -ETIMEDOUT)
		kill(-pid, SIGKILL);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	close(output[0]);
	close(failure[0]);
	if (ret)
		return ret;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
close_output:
	close(output[0]);
	close(output[1]);
	return -error;
}
