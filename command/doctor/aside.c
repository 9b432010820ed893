/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs other programs in children.
 *
 * Invariant: a program that hangs is ended, with all children, when the time is
 * up; its output is input from elsewhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/common/monotonic.h"
#include "command/doctor/private.h"
#include "command/sandbox/child.h"

#define MS_PER_S	1000

/* Executes the program, in the child; returns if that failed. The program has a
 * process group, so its children can be ended, too, and leaves no core. */
static void become_program(void *arg)
{
	const struct run *run = arg;
	const struct rlimit none = { 0 };
	int null;

	setrlimit(RLIMIT_CORE, &none);
	setpgid(0, 0);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(run->errors ? null : run->output, STDOUT_FILENO);
	dup2(run->errors ? run->output : null, STDERR_FILENO);
	execvpe(run->argv[0], run->argv, run->environment);
}

/* Reads to the end of the output, or of the time; what has no room is read and
 * dropped, so the program does not block. Returns 0 or -ETIMEDOUT. */
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

int aside_run(struct run *run, char *text, size_t room)
{
	int output[2], status, ret;
	pid_t pid;

	text[0] = '\0';
	if (pipe2(output, O_CLOEXEC))
		return -errno;
	run->output = output[1];
	pid = child_execute(become_program, run);
	if (run->pid)
		*run->pid = pid > 0 ? pid : 0;
	/* else this command holds the pipe open, and its end does not come */
	close(output[1]);
	ret = pid < 0 ? pid :
			read_output(output[0], run->seconds, text, room);
	if (ret == -ETIMEDOUT)
		kill(-pid, SIGKILL);
	status = child_wait(pid);
	close(output[0]);
	if (ret)
		return ret;
	/* where SIGCHLD is ignored, there is no status */
	if (status < 0)
		return 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}
