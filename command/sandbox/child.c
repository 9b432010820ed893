/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts, asks and ends children of this command. See child.h.
 *
 * Invariant: between fork(2) and the limits, the child takes no signal of the
 * command's handlers: child_begin() blocks all, and the child keeps that.
 */
#include "command/sandbox/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command/common/monotonic.h"

#ifndef SYS_close_range
#define SYS_close_range	436
#endif
#define END_LOOKS	20	/* for the end of a child, 1 ms apart */

/* A descriptor comes with a message. */
union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int))];
};

/* Sets both limits, so the child cannot raise them again. */
static void child_limit(int what, rlim_t to)
{
	const struct rlimit limits = { to, to };

	setrlimit(what, &limits);
}

bool child_begin(struct child *child, const struct child_spec *spec)
{
	pid_t parent = getpid();
	unsigned long long pages;
	sigset_t all, before;
	int sockets[2];
	uint64_t bytes;
	FILE *statm;

	if (child->pid)
		return true;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return false;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	child->pid = fork();
	if (child->pid) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		close(sockets[1]);
		child->socket = sockets[0];
		if (child->pid > 0)
			return true;
		close(child->socket);
		child->pid = 0;
		return false;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	child_limit(RLIMIT_CORE, 0);
	child_limit(RLIMIT_CPU, spec->cpu_seconds);
	child_limit(RLIMIT_FSIZE, spec->file_bytes);
	/* memory counts from the present use on; without /proc, there is no
	 * such limit */
	statm = spec->memory_bytes ? fopen("/proc/self/statm", "re") : NULL;
	if (statm && fscanf(statm, "%llu", &pages) == 1) {
		bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE) +
			spec->memory_bytes;
		child_limit(RLIMIT_DATA, bytes);
		child_limit(RLIMIT_AS, bytes + spec->map_bytes);
	}
	if (statm)
		fclose(statm);
	if (getppid() != parent || dup2(sockets[1], CHILD_SOCKET) < 0)
		_exit(1);
	for (int fd = 1; syscall(SYS_close_range, 1u, ~0u, 0u) && fd < 1024;
	     fd++)
		close(fd);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (spec->prepare)
		spec->prepare();
	/* a kernel without seccomp leaves the limits */
	if (spec->sealed)
		child_seal(spec->open);
	spec->serve();
	_exit(0);
}

void child_end(struct child *child)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	if (!child->pid)
		return;
	kill(child->pid, SIGKILL);
	close(child->socket);
	for (int i = 0; i < END_LOOKS && !waitpid(child->pid, NULL, WNOHANG);
	     i++)
		nanosleep(&pause, NULL);
	child->pid = 0;
}

bool child_send(int socket, const void *bytes, size_t n, int fd)
{
	union control control = { .bytes = "" };
	struct iovec part = { (void *)bytes, n };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t sent;

	if (fd >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.align), &fd, sizeof(int));
	}
	while ((sent = sendmsg(socket, &message, MSG_NOSIGNAL)) < 0 &&
	       errno == EINTR)
		;
	return sent == (ssize_t)n;
}

ssize_t child_receive(int socket, void *to, size_t room, int *fd, int ms)
{
	union control control = { .bytes = "" };
	struct iovec part = { to, room };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	struct pollfd poll_fd = { .fd = socket, .events = POLLIN };
	int64_t end = monotonic_ms() + ms;
	ssize_t n = 0;

	*fd = -1;
	while (ms >= 0 && (n = poll(&poll_fd, 1, ms)) < 0 && errno == EINTR) {
		ms = (int)(end - monotonic_ms());
		ms = ms < 0 ? 0 : ms;
	}
	if (ms >= 0 && !n)
		return -ETIMEDOUT;
	while ((n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0 &&
	       errno == EINTR)
		;
	if (n > 0 && message.msg_controllen >= CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(&control.align), sizeof(int));
	if (n > 0 && !(message.msg_flags & MSG_TRUNC))
		return n;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return -EPIPE;
}

int child_wait(pid_t pid)
{
	int status;

	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return pid > 0 ? status : -1;
}

pid_t child_execute(void (*become)(void *arg), void *arg, bool bound,
		    int *error)
{
	pid_t parent = getpid(), pid;
	int report[2];

	/* an exec closes the other end without a word */
	if (pipe2(report, O_CLOEXEC)) {
		*error = errno;
		return -1;
	}
	/* or the child could write the buffers again */
	fflush(NULL);
	pid = fork();
	*error = pid < 0 ? errno : 0;
	if (!pid) {
		if (bound)
			prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (bound && getppid() != parent)
			_exit(1);
		become(arg);
		*error = errno;
		_exit(write(report[1], error, sizeof(*error)) < 0 ? 1 : 127);
	}
	close(report[1]);
	while (pid > 0 && read(report[0], error, sizeof(*error)) < 0 &&
	       errno == EINTR)
		;
	close(report[0]);
	if (pid < 0 || !*error)
		return pid;
	child_wait(pid);
	return 0;
}
