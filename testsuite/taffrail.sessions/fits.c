/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Executes itself with as many bytes of arguments as the kernel takes.
 *	fits hit ...		one event app:hit, and the end
 *	fits serve		finds the number for each way, waits for a line
 *				of input, and then executes itself with that
 *				number, and with one byte more
 */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

#define PIECE	100000		/* less than an argument may have */
#define PIECES	100

extern char **environ;

static char *argv[PIECES + 4];

/* Makes the arguments, which take so many bytes. */
static void fill(const char *program, long bytes)
{
	static char piece[PIECE];
	int n = 0;

	memset(piece, 'x', PIECE - 1);
	argv[n++] = (char *)program;
	argv[n++] = "hit";
	for (; bytes >= PIECE; bytes -= PIECE)
		argv[n++] = piece;
	if (bytes)
		argv[n++] = piece + PIECE - bytes;
	argv[n] = NULL;
}

static int run_exec(const char *program, int how)
{
	int status = -1;
	pid_t child = how == 'v' ? vfork() : fork();

	if (!child) {
		if (how == 'e')
			execve(program, argv, environ);
		else if (how == 'v')
			execv(program, argv);
		else
			execvp(program, argv);
		_exit(errno);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Returns 0, or the errno of the call. */
static int run(const char *program, int how, long bytes)
{
	int status = -1, ret;
	pid_t child;

	fill(program, bytes);
	if (how != 's')
		return run_exec(program, how);
	ret = posix_spawn(&child, program, NULL, NULL, argv, environ);
	if (!ret)
		waitpid(child, &status, 0);
	return ret ? ret : status;
}

static long find(const char *program, int how)
{
	long low = 0, high = PIECE * PIECES;

	while (low + 1 < high) {
		long middle = (low + high) / 2;

		if (run(program, how, middle))
			high = middle;
		else
			low = middle;
	}
	return low;
}

int main(int argc, char **args)
{
	static const char ways[] = "evps";
	long most[sizeof(ways)];

	if (argc > 1 && !strcmp(args[1], "hit")) {
		TAFFRAIL_EVENT(app, hit, argc);
		return 0;
	}
	for (int i = 0; ways[i]; i++)
		most[i] = find(args[0], ways[i]);
	puts("ready");
	fflush(stdout);
	getchar();
	for (int i = 0; ways[i]; i++) {
		printf("%c: fits %d", ways[i],
		       run(args[0], ways[i], most[i]));
		printf(", more %d\n", run(args[0], ways[i], most[i] + 1));
	}
	return 0;
}
