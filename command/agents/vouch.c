/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An agent stays off in a program that begins under a seccomp filter: the
 * filter may kill the program for a system call of the agent
 * (control/threads/filtered.c). A container, or a service's SystemCallFilter=,
 * also has such a filter, and this command runs under it like the program. So
 * the command tries the agent on itself, with a session: if that succeeds, the
 * same filters let the program's agent work. The command does not vouch for
 * filters that the program or its children install later.
 */
#include "command/agents/vouch.h"
#include "command/common/remove-tree.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/common/command.h"
#include "command/procfs/process.h"
#include "command/sandbox/child.h"

#define VARIABLE	"TAFFRAIL_SECCOMP"
#define SELF		"/proc/self/exe"

/* In a child: executes this command, under the agent; `arg` points to the words
 * of LD_PRELOAD and TAFFRAIL_DIR. */
static void trial_become(void *arg)
{
	const char *const *words = arg;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	unsetenv("TAFFRAIL_JOIN");
	unsetenv("TAFFRAIL_LOG");
	if (!setenv("LD_PRELOAD", words[0], 1) &&
	    !setenv("TAFFRAIL_DIR", words[1], 1) &&
	    !setenv("TAFFRAIL_ENABLE", "*", 1) && !setenv(VARIABLE, "trust", 1))
		execl(SELF, "taffrail", "--version", (char *)NULL);
}

void filtered_vouch(const char *preload, const char *directory)
{
	const char *remedy = "; " VARIABLE "=trust lets it start";
	char word[32], place[PATH_MAX];
	const char *words[] = { preload, place };
	int error, status = -1;
	long filters;

	if (getenv(VARIABLE) || process_status(getpid(), "Seccomp") <= 0)
		return;
	filters = process_status(getpid(), "Seccomp_filters");
	if (filters < 0) {
		command_warn("this command is under a seccomp filter, and the "
			     "kernel does not tell the number of filters "
			     "(Linux 5.9 does): the agent stays off%s",
			     remedy);
		return;
	}
	if (snprintf(place, sizeof(place), "%s/trial.XXXXXX", directory) <
		    (int)sizeof(place) &&
	    mkdtemp(place)) {
		status = child_wait(child_execute(trial_become, words, false,
						  &error));
		remove_tree(place);
	}
	snprintf(word, sizeof(word), "trust:%ld", filters);
	if (!status)
		setenv(VARIABLE, word, 1);
	else if (status > 0 && WIFSIGNALED(status))
		command_warn("the seccomp filter of this command killed an "
			     "agent in a trial (%s): the agent stays off",
			     strsignal(WTERMSIG(status)));
	else
		command_warn("cannot try the agent under the seccomp filter of "
			     "this command: the agent stays off%s", remedy);
}
