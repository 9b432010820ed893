/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks through /proc for processes that were started under a recording and may
 * still join it. See members-private.h.
 */
#include "command/record/members-private.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_BYTES_MAX	(4u << 20)

/* Reads a file of /proc as text: NULs become newlines. The caller frees it. */
static char *read_text(const char *pid, const char *file)
{
	size_t room = 16384;
	size_t used = 0;
	char path[64];
	char *text = NULL;
	char *more;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	do {
		room *= 2;
		more = realloc(text, room + 2);
		if (!more)
			break;
		text = more;
		while (used < room &&
		       (n = read(fd, text + 1 + used, room - used)) > 0)
			used += (size_t)n;
	} while (used == room && room < FILE_BYTES_MAX);
	close(fd);
	if (!text)
		return NULL;
	text[0] = '\n';
	for (n = 1; n <= (ssize_t)used; n++)
		if (!text[n])
			text[n] = '\n';
	text[used + 1] = '\0';
	return text;
}

static bool maps_have(const char *pid, const char *first, const char *second)
{
	char *text = read_text(pid, "maps");
	bool found = text && (strstr(text, first) || strstr(text, second));

	free(text);
	return found;
}

/* Returns whether the list, which ends with its line, has the name, or a file
 * of heirs of that session. */
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

static bool environ_names(const char *pid, const char *session)
{
	const char variable[] = "\n" PROTOCOL_JOIN_ENV "=";
	char *text = read_text(pid, "environ");
	char *found = text ? strstr(text, variable) : NULL;
	bool named = found && list_has(found + strlen(variable), session);

	free(text);
	return named;
}

bool joiner_named(pid_t pid, const char *session)
{
	char number[24];

	snprintf(number, sizeof(number), "%d", pid);
	return environ_names(number, session);
}

/* Returns true when the line of /proc/PID/maps is of the session's page of a
 * member, as an agent maps it: ".../PID.STARTTIME/IMAGE/session.N". */
static bool is_page(const struct members *members, const char *line,
		    size_t bytes)
{
	static const char page[] = "/session.";
	const char *end = memmem(line, bytes, page, strlen(page));
	const char *name;
	size_t n;

	if (!end || !memmem(line, bytes, " rw-s ", 6))
		return false;
	while (end > line && end[-1] != '/')
		end--;
	name = end -= end > line;
	while (name > line && name[-1] != '/')
		name--;
	n = (size_t)(end - name);
	for (size_t i = 0; n && i < members->n; i++) {
		const char *member = members->list[i]->name;

		if (strlen(member) == n && !memcmp(member, name, n))
			return true;
	}
	return false;
}

static bool is_member(const struct members *members, pid_t pid)
{
	for (size_t i = 0; i < members->n; i++)
		if (members->list[i]->pid == pid)
			return true;
	return false;
}

/* Returns true when the process has the session by a fork: it maps its parent's
 * page until its first event. A member that lives maps its own; its session has
 * been ended by another command. */
static bool has_inherited(const struct members *members, const char *pid)
{
	bool member = is_member(members, (pid_t)atoi(pid));
	char *text = member ? NULL : read_text(pid, "maps");
	bool found = false;
	size_t n;

	for (const char *p = text; p && *p && !found; p += n + !!p[n]) {
		n = strcspn(p, "\n");
		found = is_page(members, p, n);
	}
	free(text);
	return found;
}

bool joiners_exist(const struct members *members)
{
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	dir = opendir("/proc");
	while (dir && !found && (entry = readdir(dir))) {
		const char *pid = entry->d_name;

		if (isdigit((unsigned char)*pid) && atoi(pid) != getpid())
			found = (environ_names(pid, members->claim->name) &&
				 maps_have(pid, "/libtaffrail", members->claim->dir.path)) ||
				has_inherited(members, pid);
	}
	if (dir)
		closedir(dir);
	return found;
}
