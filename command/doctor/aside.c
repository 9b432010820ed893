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

int aside_run(struct run *run, char *text, size_t room)
{
	struct pollfd wait = { .events = POLLIN };
	int output[2], status, ret = 0;
	size_t n, used = 0;
	char beyond[512] = "";
	int64_t end, left;
	ssize_t got;
	pid_t pid;

	text[0] = '\0';
	if (pipe2(output, O_CLOEXEC))
		return -errno;
	run->output = output[1];
	pid = child_execute(become_program, run, true, &ret);
	if (run->pid)
		*run->pid = pid > 0 ? pid : 0;
	/* else this command holds the pipe open, and its end does not come */
	close(output[1]);
	ret = -ret;
	end = monotonic_ms() + (int64_t)run->seconds * MS_PER_S;
	wait.fd = output[0];
	while (!ret) {
		left = end - monotonic_ms();
		if (left <= 0) {
			ret = -ETIMEDOUT;
			kill(-pid, SIGKILL);
			break;
		}
		if (poll(&wait, 1, (int)left) <= 0)
			continue;
		/* output without room is read and dropped, so the program does
		 * not block */
		n = room - 1 - used;
		got = read(output[0], n ? text + used : beyond,
			   n ? n : sizeof(beyond));
		if (got == 0 || (got < 0 && errno != EINTR))
			break;
		if (got > 0 && n)
			used += (size_t)got;
		text[used] = '\0';
	}
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
