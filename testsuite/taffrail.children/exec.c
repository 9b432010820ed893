/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes that become other programs.
 *	exec vfork|spawn|system|self|rest|static OTHER
 * vfork, spawn and system run OTHER as a child; self becomes this program
 * again, 5 times; so does rest, whose last image says so and waits for input;
 * static becomes OTHER, which has no agent.
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

extern char **environ;

static void hit(const char *who)
{
	int n;

	for (n = 0; n < 100; n++)
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
}

static int await(pid_t child)
{
	int status;

	return child < 0 || waitpid(child, &status, 0) != child || status;
}

static int run_vfork(char **argv)
{
	pid_t child = vfork();
	int n;

	if (!child) {
		for (n = 0; n < 10; n++)
			TAFFRAIL_EVENT(app, vforked, n);
		execl(argv[2], argv[2], NULL);
		_exit(127);
	}
	return await(child);
}

static int run_spawn(char **argv)
{
	char *arguments[] = { argv[2], NULL };
	pid_t child;

	return posix_spawn(&child, argv[2], NULL, NULL, arguments, environ) ||
	       await(child);
}

static int run_self(char **argv)
{
	char left[2] = { argv[2][0] - 1, 0 };
	char who[16];

	snprintf(who, sizeof(who), "image%c", argv[2][0]);
	hit(who);
	if (argv[2][0] == '0' && !strcmp(argv[1], "rest")) {
		puts("rests");
		fflush(stdout);
		getchar();
	}
	if (argv[2][0] == '0')
		return 0;
	execl("/proc/self/exe", argv[0], argv[1], left, NULL);
	return 1;
}

int main(int argc, char **argv)
{
	int ret = 2;

	if (argc == 1) {	/* as another's OTHER */
		hit("other");
		return 0;
	}
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "self") || !strcmp(argv[1], "rest"))
		return run_self(argv);
	hit("before");
	if (!strcmp(argv[1], "vfork"))
		ret = run_vfork(argv);
	else if (!strcmp(argv[1], "spawn"))
		ret = run_spawn(argv);
	else if (!strcmp(argv[1], "system"))
		ret = system(argv[2]);
	else if (!strcmp(argv[1], "static"))
		execl(argv[2], argv[2], NULL);
	hit("after");
	return ret;
}
