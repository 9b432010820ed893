/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that looks at what it begins with: descriptors, signals, limits.
 *
 *	alone [full]		prints that; then an event, app/begun
 *	alone fill N COMMAND	executes the command with N descriptors more
 *	alone pend COMMAND	executes it with SIGUSR1 blocked and pending
 *	alone told		says whether programs that libc's function
 *				executes read less before main() than those that
 *				a bare system call does
 *	alone read		prints how much it has read
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <taffrail/marker.h>

/* With a full table, needs two descriptors itself. */
static int look_at_files(int full)
{
	int room = full && (close(3) || close(4));
	int own = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FILE *out = getenv("OUT") ? fopen(getenv("OUT"), "we") : stdout;
	DIR *stream = fdopendir(own);
	struct dirent *entry;
	sigset_t blocked, pending;

	if (room || !out || !stream)
		return 2;
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	sigpending(&pending);
	while ((entry = readdir(stream)))
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != own &&
		    atoi(entry->d_name) != fileno(out))
			fprintf(out, "descriptor %s\n", entry->d_name);
	for (int i = 1; i < 65; i++)
		if (sigismember(&blocked, i) || sigismember(&pending, i))
			fprintf(out, "signal %d blocked %d pending %d\n", i,
				sigismember(&blocked, i),
				sigismember(&pending, i));
	TAFFRAIL_EVENT(app, begun, TAFFRAIL_FIELD(n, 1));
	return 0;
}

/* "rchar: BYTES" comes first. */
static int read_print(void)
{
	FILE *file = fopen("/proc/self/io", "r");
	long bytes;

	if (!file || fscanf(file, "rchar: %ld", &bytes) != 1)
		return 4;
	printf("%ld\n", bytes);
	TAFFRAIL_EVENT(app, begun, TAFFRAIL_FIELD(n, 1));
	return 0;
}

/* Returns the least that such a program has read: a thread that has waited for
 * a page is not known to have no tracer. */
static long read_least(const char *path, int bare)
{
	char *argv[] = { (char *)path, "read", NULL };
	long bytes, least = -1;
	int ends[2], status;
	FILE *from;

	for (int i = 0; i < 5; i++) {
		if (pipe(ends))
			return -1;
		if (!fork()) {
			dup2(ends[1], 1);
			/* the agent looks at the program for this one, too */
			execve(path, bare ? (char **)1 : argv, environ);
			syscall(SYS_execve, path, argv, environ);
			_exit(5);
		}
		close(ends[1]);
		from = fdopen(ends[0], "r");
		if (!from || fscanf(from, "%ld", &bytes) != 1)
			return -1;
		fclose(from);
		wait(&status);
		if (least < 0 || bytes < least)
			least = bytes;
	}
	return least;
}

static int read_compare(const char *path)
{
	long told = read_least(path, 0), bare = read_least(path, 1);

	if (told < 0 || bare < 0)
		return 77;
	puts(told + 500 < bare ? "less" : "as much");
	return 0;
}

int main(int argc, char **argv)
{
	sigset_t set;

	if (argc > 3 && !strcmp(argv[1], "fill")) {
		for (int i = atoi(argv[2]); i > 0; i--)
			if (open("/dev/null", O_RDONLY) < 0)
				return 3;
		return execv(argv[3], argv + 3);
	}
	if (argc > 2 && !strcmp(argv[1], "pend")) {
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		sigprocmask(SIG_BLOCK, &set, NULL);
		raise(SIGUSR1);
		return execv(argv[2], argv + 2);
	}
	if (argc > 1 && !strcmp(argv[1], "read"))
		return read_print();
	if (argc > 1 && !strcmp(argv[1], "told"))
		return read_compare(argv[0]);
	return look_at_files(argc > 1);
}
