/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that looks at what it begins with: descriptors, signals, limits.
 *
 *	alone [full]		prints that; then an event, app/begun
 *	alone fill N COMMAND	executes the command with N descriptors more
 *	alone pend COMMAND	executes it with SIGUSR1 blocked and pending
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	return look_at_files(argc > 1);
}
