/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two children that cannot make files hit a marker CHILD times each, their
 * parent PARENT times before. HOW says what keeps them from it:
 *
 *	files	they may open no file
 *	memory	they get no address space
 *	size	they may write no file
 *	late	as files, when the recorder has taken their parent's events
 *	filter	a seccomp filter of their parent, which allows everything
 *	root	a root directory in /proc, of a process that has ended
 *	quiet	as root, and they hit no marker, but install a filter
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <taffrail/marker.h>

enum { PARENT = 10, CHILD = 7, CHILDREN = 2 };

static void hit(int times)
{
	for (int i = 0; i < times; i++)
		TAFFRAIL_EVENT(app, hit, i);
}

static void limit(int what, rlim_t to)
{
	struct rlimit none = { to, to };

	/* the agent does not see it, and makes no files before */
	syscall(SYS_prlimit64, 0, what, &none, NULL);
}

static int filter(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &allow };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Changes the root directory as sandboxes of browsers do: a child that shares
 * it makes it the directory of its own descriptors, and ends. */
static void leave_root(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FS | SIGCHLD, 0, 0, 0, 0);

	if (!pid) {
		if (chroot("/proc/self/fdinfo/") || chdir("/"))
			_exit(1);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* Waits until the recorder has removed the parent's files: `directory` is the
 * runtime directory, where only sessions/ is left. */
static void wait_collected(const char *directory)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	struct stat st;

	while (!stat(directory, &st) && st.st_nlink > 3)
		nanosleep(&pause, NULL);
}

static void child(const char *how, const char *directory)
{
	if (!strcmp(how, "late"))
		wait_collected(directory);
	if (!strcmp(how, "files") || !strcmp(how, "late"))
		limit(RLIMIT_NOFILE, 0);
	if (!strcmp(how, "memory"))
		limit(RLIMIT_AS, 1 << 20);
	if (!strcmp(how, "size"))
		limit(RLIMIT_FSIZE, 0);
	if (!strcmp(how, "root") || !strcmp(how, "quiet"))
		leave_root();
	if (!strcmp(how, "quiet"))
		_exit(filter());
	hit(CHILD);
	_exit(0);
}

int main(int argc, char **argv)
{
	int i;

	if (argc != 3)
		return 2;
	hit(PARENT);
	if (!strcmp(argv[1], "filter") && filter())
		return 3;
	for (i = 0; i < CHILDREN; i++)
		if (!fork())
			child(argv[1], argv[2]);
	while (strcmp(argv[1], "late") && wait(NULL) > 0)
		;
	return 0;
}
