/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * vanished directory|page|both N: a child hits app:hit 10 times. Another
 * process, its parent here, removes the directory that the child has just made
 * or found, N times: between the child's look at it and the child's next file
 * there. A seccomp filter stops the child at that system call. Prints how often
 * the parent has removed a directory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

static int removals, removed;
static const char *what;

/* Past libc: the agent makes no call after a filter that libc has installed. */
static long bare(long number, long a, long b, long c)
{
	register long r10 __asm__("r10") = 0;
	register long r8 __asm__("r8") = 0;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10),
			   "r"(r8)
			 : "rcx", "r11", "memory");
	return ret;
}

static int filter_install(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mkdirat, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	if (bare(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0))
		return -1;
	return (int)bare(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			 SECCOMP_FILTER_FLAG_NEW_LISTENER, (long)&program);
}

static void child(int out)
{
	int fd = filter_install();

	if (write(out, &fd, sizeof(fd)) != sizeof(fd))
		_exit(1);
	for (int i = 0; i < 10; i++)
		TAFFRAIL_EVENT(app, hit, i);
	_exit(0);
}

static int ends(const char *path, const char *end)
{
	size_t all = strlen(path), n = strlen(end);

	return all >= n && !strcmp(path + all - n, end);
}

/* Removes the directory of the call's path, if the test waits for this call. */
static void look(const struct seccomp_notif *call)
{
	int makes = call->data.nr == SYS_mkdirat;
	char file[32], path[512] = "";
	int fd;

	snprintf(file, sizeof(file), "/proc/%u/mem", call->pid);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, path, sizeof(path) - 1,
			    (off_t)call->data.args[1]) < 0)
		path[0] = '\0';
	close(fd);
	if (removed >= removals ||
	    !(makes ? strcmp(what, "page") && ends(path, "/0") :
		      strcmp(what, "directory") && ends(path, "/0/process") &&
			      call->data.args[2] & O_CREAT))
		return;
	*strrchr(path, '/') = '\0';
	if (rmdir(path))
		return;
	removed++;
	if (!makes && !strcmp(what, "both")) {
		*strrchr(path, '/') = '\0';
		rmdir(path);
	}
}

static void serve(int listener)
{
	struct pollfd fd = { .fd = listener, .events = POLLIN };

	while (poll(&fd, 1, -1) > 0 && fd.revents & POLLIN) {
		struct seccomp_notif call = { 0 };
		struct seccomp_notif_resp answer = { 0 };

		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
			continue;
		look(&call);
		answer.id = call.id;
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

int main(int argc, char **argv)
{
	int channel[2], theirs, listener, pidfd;
	pid_t pid;

	if (argc != 3 || pipe(channel))
		return 1;
	what = argv[1];
	removals = atoi(argv[2]);
	pid = fork();
	if (!pid)
		child(channel[1]);
	if (read(channel[0], &theirs, sizeof(theirs)) != sizeof(theirs))
		return 1;
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	listener = (int)syscall(SYS_pidfd_getfd, pidfd, theirs, 0);
	if (theirs < 0 || listener < 0)
		return 77;
	serve(listener);
	printf("removed %d\n", removed);
	return waitpid(pid, NULL, 0) != pid;
}
