/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes that execute another program while a look at rings goes on: for a
 * moment they have no agent, and perhaps no files.
 *
 * Invariant: a look waits for such a process EXECUTES_SECONDS at most, so it
 * ends though the program never comes to the session.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command/causes/cause.h"
#include "command/common/command.h"
#include "command/common/monotonic.h"
#include "command/reading/private.h"
#include "control/protocol.h"

/* A process whose files have gone is waited for as long as this. */
#define EXECUTES_SECONDS	10

/* Returns seconds of a clock that is never set. */
static time_t executing_seconds(void)
{
	return (time_t)(monotonic_ns() / 1000000000);
}

int executing_open(struct look_rings *live, struct rundir_process *process)
{
	struct stat st;
	bool over;

	if (live->top < 0)
		return -ENOENT;
	*process = live->only;
	process->fd = openat(live->top, process->name,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (process->fd < 0)
		return -errno;
	if (fstat(process->fd, &st) || st.st_uid != process->uid) {
		rundir_process_close(process);
		return -EACCES;
	}
	/* the program that made the files is over */
	over = rundir_unlocked(process);
	if (!over || !live->over)
		live->over = over ? executing_seconds() : 0;
	if (over && executing_seconds() - live->over >= EXECUTES_SECONDS) {
		rundir_process_close(process);
		return -ENOENT;
	}
	process->alive = rundir_alive(process->pid, process->starttime);
	return 0;
}

bool executing_one(struct known *known, struct cause *cause)
{
	struct rundir_process process;
	int ret;

	cause->id = CAUSE_NONE;
	if (known->rings || known->seen || !known->alive || known->stopped ||
	    known->destroyed || !rundir_alive(known->pid, known->starttime))
		return false;
	ret = rundir_find(&process, known->pid, cause);
	if (!ret)
		rundir_process_close(&process);
	/* any other cause may be of an exec or an exit that goes on */
	if (ret == -ESRCH || cause->id == CAUSE_AGENT_FILES_REMOVED)
		return false;
	if (!known->executes)
		known->executes = executing_seconds();
	return true;
}

bool executing_any(struct look_rings *live)
{
	struct cause cause;
	bool executes, any = false;

	for (size_t i = 0; i < live->n; i++) {
		struct known *known = &live->known[i];
		size_t later = i + 1;

		if (!known->executes)
			continue;
		/* another image of the process has come to the session */
		while (later < live->n &&
		       (live->known[later].pid != known->pid ||
			live->known[later].starttime != known->starttime))
			later++;
		executes = later == live->n && executing_one(known, &cause);
		if (executes && executing_seconds() - known->executes <
				EXECUTES_SECONDS) {
			any = true;
			continue;
		}
		known->alive = false;
		known->executes = 0;
		if (!executes)
			continue;
		if (!cause.id || cause.id == CAUSE_AGENT_NONE ||
		    cause.id == CAUSE_AGENT_UNSTARTED) {
			command_warn("process %d executes a program that does "
				     "not take part in session '%s'",
				     known->pid, live->name);
		} else {
			cause_tell(&cause);
			live->look->unread = true;
		}
	}
	return any;
}

bool executing_shared(struct look_rings *live)
{
	char path[NAME_MAX + 1];
	bool shared = false;

	for (size_t i = 0; i < live->n; i++)
		shared |= live->known[i].shared && live->known[i].rings;
	snprintf(path, sizeof(path), PROTOCOL_SESSIONS_DIR
		 "/" PROTOCOL_SHARED_PREFIX "%s", live->name);
	if (!shared || live->top < 0 || faccessat(live->top, path, F_OK, 0) ||
	    !rundir_alive(live->only.pid, live->only.starttime))
		return false;
	if (!live->alone)
		live->alone = executing_seconds();
	return executing_seconds() - live->alone < EXECUTES_SECONDS;
}
