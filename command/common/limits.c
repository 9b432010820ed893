/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of this command's own process. See limits.h.
 */
#include "command/common/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/base.h"
#include "command/common/command.h"

/* A handler, not SIG_IGN: execve(2) resets it. */
SIGSAFE static void on_size(int number)
{
	(void)number;
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

int limits_check_files(void)
{
	return limits_check_some(LIMITS_FILES);
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

int limits_check_some(int needed)
{
	int error;
	int n = limits_count_files(needed, &error);

	if (error != EMFILE && error != ENFILE)
		return COMMAND_DONE;
	return command_failed("%s: %d more can be opened, and %d are "
			      "needed; raise it",
			      limits_error(error), n, needed);
}

bool limits_blind(void)
{
	return access("/proc/self/stat", F_OK) && errno == ENOENT;
}
