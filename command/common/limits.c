/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of this command's own process, and their words. See limits.h.
 */
#include "command/common/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base.h"

/* A handler, not SIG_IGN: execve(2) resets it. */
SIGSAFE static void on_size(int number)
{
}

void limits_prepare(void)
{
	struct sigaction action = { .sa_handler = on_size,
				    .sa_flags = SA_RESTART };
	struct sigaction old;

	if (!sigaction(SIGXFSZ, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &action, NULL);
}

void limits_raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int limits_count_files(int needed, int *error)
{
	int fds[LIMITS_FILES];
	int n = 0;

	*error = 0;
	while (n < needed && n < LIMITS_FILES && !*error) {
		fds[n] = open("/", O_PATH | O_CLOEXEC);
		if (fds[n] < 0)
			*error = errno;
		else
			n++;
	}
	for (int i = 0; i < n; i++)
		close(fds[i]);
	return n;
}

int limits_spare_files(int needed)
{
	int error;

	limits_count_files(needed, &error);
	return error == EMFILE || error == ENFILE ? -error : 0;
}

bool limits_blind(void)
{
	return access("/proc/self/stat", F_OK) && errno == ENOENT;
}

const char *limits_error(int error)
{
	static const struct {
		int error, resource, unit;
		const char *option, *suffix, *words;
	} rows[] = {
		{ EMFILE, RLIMIT_NOFILE, 1, "-n", "", NULL },
		{ EFBIG, RLIMIT_FSIZE, 1024, "-f", "K", NULL },
		{ ENOLCK, RLIMIT_MEMLOCK, 1024, "-l", "K",
		  "this command's memory is locked, and limited" },
	};
	static char text[112];
	struct rlimit limit;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].error != error ||
		    getrlimit((__rlimit_resource_t)rows[i].resource, &limit) ||
		    limit.rlim_cur == RLIM_INFINITY)
			continue;
		snprintf(text, sizeof(text), "%s (ulimit %s is %llu%s)",
			 rows[i].words ?: strerror(error), rows[i].option,
			 (unsigned long long)limit.rlim_cur /
				 (unsigned int)rows[i].unit, rows[i].suffix);
		return text;
	}
	return strerror(error);
}

const char *limits_raise(int error)
{
	static char text[128];

	if (error != EMFILE && error != EFBIG && error != ENOLCK)
		return limits_error(error);
	snprintf(text, sizeof(text), "%s: raise it", limits_error(error));
	return text;
}
