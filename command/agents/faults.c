/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tells the faults that agents note (control/sessions/environment.c), in their
 * pages and, of the last process that had some, in a file of sessions/.
 *
 * Invariant: processes that begin in one environment have the same faults, so
 * faults that were told last are not told again.
 */
#include "command/agents/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/protocol.h"

#define COMM_BYTES	16	/* of a process's name, with its NUL */
#define NOTE		PROTOCOL_SESSIONS_DIR "/" PROTOCOL_FAULT_FILE

static char told[PROCESS_FAULT_BYTES];	/* the faults that were told last */

/* Prints each line of `faults`, unless they were told last. Returns true when
 * there is one. */
static bool fault_lines_tell(long pid, const char *name, const char *faults)
{
	char text[CAUSE_TEXT_BYTES];
	struct cause cause;
	size_t n;

	if (!*faults)
		return false;
	if (!strcmp(told, faults))
		return true;
	snprintf(told, sizeof(told), "%s", faults);
	for (; *faults; faults += n + (faults[n] == '\n')) {
		n = strcspn(faults, "\n");
		snprintf(text, sizeof(text), "(%s): TAFFRAIL_ENABLE: %.*s",
			 name, (int)n, faults);
		cause_set(&cause, 0, ENVIRONMENT_FAULT, .pid = (pid_t)pid,
			  .text = text);
		cause_tell(&cause);
	}
	return true;
}

bool faults_tell(pid_t pid, const struct process_page *page)
{
	char faults[PROCESS_FAULT_BYTES];

	snprintf(faults, sizeof(faults), "%.*s",
		 page->fault_bytes < sizeof(page->faults) ?
			 (int)page->fault_bytes : 0, page->faults);
	return fault_lines_tell(pid, page->procname, faults);
}

bool faults_tell_last(struct rundir *dir, bool forget)
{
	char text[PROTOCOL_FAULT_BYTES_MAX + 1], *name, *faults;
	ssize_t n = -1;
	long pid;
	int fd = dir->fd < 0 ? -ENOENT :
		 rundir_open_own(dir->fd, NOTE, O_RDONLY, dir->uid);

	/* a file of another kind or user is removed, and not read */
	if (fd < 0 && fd != -EPERM)
		return false;
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (forget)
		faults_forget(dir);
	text[n < 0 ? 0 : n] = '\0';
	pid = strtol(text, &name, 10);
	if (name == text || *name != ' ')
		return false;
	/* the name may have newlines, and a fault is longer than a name */
	faults = memrchr(name, '\n', strnlen(name, COMM_BYTES + 1));
	if (!faults)
		return false;
	*faults++ = '\0';
	return fault_lines_tell(pid, name + 1, faults);
}

void faults_forget(struct rundir *dir)
{
	if (dir->fd >= 0)
		unlinkat(dir->fd, NOTE, 0);
}
