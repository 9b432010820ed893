/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks through /proc for processes that were started under a recording and may
 * still join it. See members-private.h.
 *
 * Invariant: a process that cannot be read is none that may join, or a recorder
 * would wait for processes of other users.
 */
#include "command/record/members-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "command/procfs/threads.h"

#define READ_BYTES	(32u << 10)	/* in one call, of most processes */

/* Opens a file of /proc/PID. Returns NULL if there is none. */
static FILE *proc_open(pid_t pid, const char *file)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	f = fopen(path, "re");
	if (f)
		setvbuf(f, NULL, _IOFBF, READ_BYTES);
	return f;
}

bool joiner_named(pid_t pid, const char *session)
{
	FILE *f = proc_open(pid, "environ");
	size_t room = 0, length = strlen(session);
	char *variable = NULL;
	bool named = false;

	while (f && !named && getdelim(&variable, &room, '\0', f) > 0) {
		const char *list = text_after(variable, PROTOCOL_JOIN_ENV "=");

		/* the name, or a file of the inheritance */
		while (list && !named) {
			size_t n = strcspn(list, ":\n");

			named = n >= length && !memcmp(list, session, length) &&
				(n == length ||
				 list[length] == PROTOCOL_INHERITANCE);
			list = list[n] == PROTOCOL_JOIN_SEPARATOR ?
			       list + n + 1 : NULL;
		}
	}
	free(variable);
	if (f)
		fclose(f);
	return named;
}

/* Returns true when the line of /proc/PID/maps is of the session's page of a
 * member, as an agent maps it: ".../PID.STARTTIME/IMAGE/session.N". Cuts the
 * line. */
static bool is_page(const struct members *members, char *line)
{
	char *end = strstr(line, "/session.");
	const char *name;

	if (!end || !strstr(line, " rw-s "))
		return false;
	*end = '\0';
	end = strrchr(line, '/');
	if (!end)
		return false;
	*end = '\0';
	name = strrchr(line, '/');
	return name && members_named(members, name + 1);
}

static bool is_member(const struct members *members, pid_t pid)
{
	size_t i = 0;

	while (i < members->n && members->list[i]->pid != pid)
		i++;
	return i < members->n;
}

/* Returns true when a child that a member has forked may live. Where all
 * members share rings, it holds their lock. */
static bool forked_live(const struct members *members)
{
	for (size_t i = 0; i < members->n; i++)
		for (size_t k = 0; k < members->list[i]->nimages; k++)
			if (!consume_shares(members->list[i]->images[k]))
				return true;
	return members->n && (!drain_shared(members->drain) ||
			      rundir_shared_held(members->dir,
						 members->session));
}

/* A forked child maps the page of the parent until the first event of the
 * child; the environment may be gone: programs write titles there. A living
 * member maps a page of that name, too, but cannot join again: another command
 * has ended its session. */
bool joiners_exist(const struct members *members)
{
	const bool forked = forked_live(members);
	DIR *list = processes_open();
	char *line = NULL;
	bool found = false;
	size_t room = 0;
	pid_t pid;

	while (!found && (pid = threads_next(list))) {
		bool named;
		FILE *f;

		if (pid == getpid())
			continue;
		named = joiner_named(pid, members->session);
		f = named || forked ? proc_open(pid, "maps") : NULL;
		while (f && !found && getline(&line, &room, f) > 0)
			found = (named && (strstr(line, "/libtaffrail") ||
					   strstr(line, members->dir->path))) ||
				(is_page(members, line) &&
				 !is_member(members, pid));
		if (f)
			fclose(f);
	}
	free(line);
	threads_close(list);
	return found;
}
