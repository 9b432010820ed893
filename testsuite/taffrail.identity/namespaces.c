/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes of other namespaces than the recorder's.
 *
 *	pid N		N children make a PID namespace each. In each namespace
 *			two processes begin at the same time, so many processes
 *			share a number and a start time. Each hits 10 times,
 *			waits until the recorder has looked at it, and hits 10
 *			times: 40 N
 *	time		three processes below each other; each begins in a time
 *			namespace with another boot time, and hits before its
 *			child and after it; the last one executes "hit": 110
 *	hit		50
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME	0x80
#endif

#define LOOKED_US	700000

static int begin[2], ready[2];

static void hit(int n)
{
	int i;

	for (i = 0; i < n; i++)
		TAFFRAIL_MARK(app, hit, "i %d", i);
}

static void hit_twice(void)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(begin[1]);
	if (read(begin[0], &byte, 1))
		_exit(1);
	hit(10);
	usleep(LOOKED_US);
	hit(10);
	/* when a namespace's first process ends, so do the others */
	if (write(ready[1], "", 1) != 1)
		_exit(1);
	pause();
}

static int make_namespace(void)
{
	int i;

	if (unshare(CLONE_NEWPID))
		_exit(77);
	for (i = 0; i < 2; i++)
		if (!fork())
			hit_twice();
	close(begin[1]);
	pause();
	return 1;
}

static int run_pid(int n)
{
	pid_t children[100];
	char byte;
	int i;

	if (pipe(begin) || pipe(ready) || n > 100)
		return 1;
	for (i = 0; i < n; i++) {
		children[i] = fork();
		if (!children[i])
			_exit(make_namespace());
	}
	usleep(LOOKED_US);
	close(begin[1]);
	for (i = 0; i < 2 * n; i++)
		if (read(ready[0], &byte, 1) != 1)
			return 1;
	for (i = 0; i < n; i++)
		kill(children[i], SIGTERM);
	while (wait(NULL) > 0)
		;
	return 0;
}

static int enter_time(int seconds)
{
	char text[64];
	int fd, n;

	if (unshare(CLONE_NEWTIME))
		return 77;
	fd = open("/proc/self/timens_offsets", O_WRONLY);
	n = snprintf(text, sizeof(text), "boottime %d 0\n", seconds);
	if (fd < 0 || write(fd, text, n) != n)
		return 77;
	close(fd);
	return 0;
}

static int run_time(char **argv)
{
	static const int seconds[] = { 100000, 200003, 50 };
	int i, ret, status;
	pid_t child;

	hit(10);
	for (i = 0; i < 3; i++) {
		ret = enter_time(seconds[i]);
		if (ret)
			return ret;
		child = fork();
		if (child) {
			waitpid(child, &status, 0);
			hit(10);
			return WEXITSTATUS(status);
		}
		usleep(LOOKED_US);
		if (i < 2)
			hit(10);
	}
	execl(argv[0], argv[0], "hit", NULL);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "pid"))
		return run_pid(atoi(argv[2]));
	if (argc > 1 && !strcmp(argv[1], "time"))
		return run_time(argv);
	hit(50);
	return 0;
}
