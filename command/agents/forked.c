/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts processes that were forked before a session. See forked.h.
 */
#include "command/agents/forked.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/common/counted.h"

/* A child that executes another program is not a worker. Only the links are
 * read: the file may be one that never answers. */
static bool same_program(pid_t one, pid_t other)
{
	const pid_t pids[] = { one, other };
	char names[2][PATH_MAX];
	ssize_t bytes[2];
	char path[64];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/proc/%d/exe", pids[i]);
		bytes[i] = readlink(path, names[i], sizeof(names[i]));
	}
	return bytes[0] > 0 && bytes[0] == bytes[1] &&
	       !memcmp(names[0], names[1], (size_t)bytes[0]);
}

static bool pids_have(const struct command_pids *pids, pid_t pid)
{
	for (int i = 0; i < pids->count; i++)
		if (pids->pids[i] == pid)
			return true;
	return false;
}

/* Counts those of one process: each of its threads may have children. */
static size_t children_count(pid_t pid, const struct command_pids *pids)
{
	glob_t threads = { 0 };
	size_t count = 0;
	char path[64];
	pid_t child;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/*/children", pid);
	if (glob(path, GLOB_NOSORT, NULL, &threads))
		threads.gl_pathc = 0;
	for (size_t i = 0; i < threads.gl_pathc; i++) {
		f = fopen(threads.gl_pathv[i], "re");
		while (f && fscanf(f, "%d", &child) == 1)
			count += !pids_have(pids, child) &&
				 same_program(pid, child);
		if (f)
			fclose(f);
	}
	globfree(&threads);
	return count;
}

void forked_count(struct forked *forked, const struct command_pids *pids)
{
	for (int i = 0; i < pids->count; i++)
		forked->counts[i] = children_count(pids->pids[i], pids);
}

void forked_tell(const struct forked *forked, const struct command_pids *pids)
{
	char more[128];

	for (int i = 0; i < pids->count; i++) {
		size_t count = forked->counts[i];
		pid_t pid = pids->pids[i];

		if (!count)
			continue;
		if ((size_t)pids->count + count <= COMMAND_PIDS_MAX)
			snprintf(more, sizeof(more), "-p %d,$(pgrep -d, -P %d) "
				 "adds %s", pid, pid,
				 agreed(count, "it", "them"));
		else
			snprintf(more, sizeof(more), "'pgrep -P %d' lists "
				 "them; -p takes up to %d", pid,
				 COMMAND_PIDS_MAX);
		command_warn("process %d had forked %s before, which %s not "
			     "traced: %s", pid,
			     counted(count, "other process"),
			     agreed(count, "is", "are"), more);
	}
}
