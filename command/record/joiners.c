/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks through /proc for processes that were started under a recording and may
 * still join it. See members-private.h.
 */
#include "command/record/members-private.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

/* Opens a file of /proc/PID. Returns NULL if there is none. */
static FILE *proc_open(pid_t pid, const char *file)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	return fopen(path, "re");
}

/* Returns whether the list has the name, or a file of heirs of that session. */
static bool list_has(const char *list, const char *name)
{
	size_t length = strlen(name);
	size_t n;

	for (;; list += n + 1) {
		n = strcspn(list, ":\n");
		if (n >= length && !memcmp(list, name, length) &&
		    (n == length || list[length] == PROTOCOL_INHERITANCE))
			return true;
		if (list[n] != PROTOCOL_JOIN_SEPARATOR)
			return false;
	}
}

bool joiner_named(pid_t pid, const char *session)
{
	FILE *f = proc_open(pid, "environ");
	char *variable = NULL;
	size_t room = 0;
	bool named = false;

	while (f && !named && getdelim(&variable, &room, '\0', f) > 0) {
		const char *list = text_after(variable, PROTOCOL_JOIN_ENV "=");

		named = list && list_has(list, session);
	}
	free(variable);
	if (f)
		fclose(f);
	return named;
}

/* Returns true when the line of /proc/PID/maps is of the session's page of a
 * member, as an agent maps it: ".../PID.STARTTIME/IMAGE/session.N". */
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
	for (size_t i = 0; name && i < members->n; i++)
		if (!strcmp(members->list[i]->name, name + 1))
			return true;
	return false;
}

/*
 * Returns true when the process may still join. A forked child maps the page of
 * the parent until the first event of the child. A living member maps a page of
 * that name, too, but cannot join again: another command has ended its session.
 */
static bool is_joiner(const struct members *members, pid_t pid)
{
	const struct claim *claim = members->claim;
	bool named = joiner_named(pid, claim->name);
	bool forked = true, found = false;
	FILE *f = proc_open(pid, "maps");
	char *line = NULL;
	size_t room = 0;

	for (size_t i = 0; i < members->n; i++)
		forked &= members->list[i]->pid != pid;
	while (f && !found && getline(&line, &room, f) > 0)
		found = (named && (strstr(line, "/libtaffrail") ||
				   strstr(line, claim->dir.path))) ||
			(forked && is_page(members, line));
	free(line);
	if (f)
		fclose(f);
	return found;
}

bool joiners_exist(const struct members *members)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		found = isdigit((unsigned char)entry->d_name[0]) &&
			pid != getpid() && is_joiner(members, pid);
	}
	if (dir)
		closedir(dir);
	return found;
}
