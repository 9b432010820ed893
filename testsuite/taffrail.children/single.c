/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Actions that only a process of one thread may do, or does differently. Each
 * must have the same result under trace as alone. Prints the results.
 *
 *	single clone	a child by clone(2) with SIGCHLD, which emits an event
 *			and returns from its function; the parent waits for it
 *	single exit	the first thread ends by the bare system call, and the
 *			process ends with it
 *	single user	unshare(CLONE_NEWUSER) by the bare system call
 *	single nproc	a fork when RLIMIT_NPROC leaves room for one child
 *	single zygote	counts threads, forks a child that counts its own and
 *			emits an event, and counts again
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

static char stack[65536] __attribute__((aligned(16)));

static void emit(int number)
{
	TAFFRAIL_EVENT(app, single, number);
}

/* By the kernel's name: neither libc nor the agent sees it. */
static long bare(long number, long argument)
{
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(argument)
			 : "rcx", "r11", "memory");
	return ret;
}

static int threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

static int cloned(void *arg)
{
	emit(*(int *)arg);
	return 3;
}

static int by_clone(void)
{
	int number = 2, status = -1;
	pid_t pid = clone(cloned, stack + sizeof(stack), SIGCHLD, &number);

	if (waitpid(pid, &status, 0) != pid)
		return 1;
	printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return 0;
}

static int by_exit(void)
{
	printf("exit\n");
	fflush(stdout);
	bare(SYS_exit, 5);
	return 1;
}

static int by_user(void)
{
	long ret = bare(SYS_unshare, CLONE_NEWUSER);

	/* a container may forbid it, for a reason of its own */
	printf("user %s\n", ret == -EINVAL ? "EINVAL" : "as allowed");
	return 0;
}

static int by_nproc(void)
{
	struct rlimit limit = { 2, 2 };
	int status = -1;
	pid_t pid;

	if (setrlimit(RLIMIT_NPROC, &limit))
		return 1;
	pid = fork();
	if (!pid)
		_exit(4);
	if (pid > 0)
		waitpid(pid, &status, 0);
	printf("fork %s\n", pid < 0 ? strerror(errno) : "done");
	return 0;
}

/* The kernel reports the end of a thread a moment before /proc does. */
static int threads_settled(int want)
{
	int looks = 1000;
	int n;

	while ((n = threads()) != want && looks--)
		usleep(1000);
	return n;
}

static int by_zygote(void)
{
	int status = -1;
	int before = threads();
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		int first = threads();

		emit(2);
		_exit(first * 10 + threads_settled(first));
	}
	waitpid(pid, &status, 0);
	printf("threads %d %d %d\n", before, WEXITSTATUS(status), threads());
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} ways[] = {
		{ "clone", by_clone }, { "exit", by_exit }, { "user", by_user },
		{ "nproc", by_nproc }, { "zygote", by_zygote },
	};

	emit(1);
	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(argv[1], ways[i].name))
			return ways[i].run();
	return 2;
}
