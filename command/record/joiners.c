/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks through /proc for processes of a recording.
 */
#include "command/record/joiners-private.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/protocol.h"

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

static bool maps(const char *pid, const char *first, const char *second)
{
	char *text = read_text(pid, "maps");
	bool found = text && (strstr(text, first) || strstr(text, second));

	free(text);
	return found;
}

/* Returns whether the list, which ends with its line, has the name, or a file
 * of heirs of that session. */
static bool listed(const char *list, const char *name)
{
	size_t length = strlen(name);
	size_t n;

	for (;; list += n + 1) {
		n = strcspn(list, ":\n");
		if (n >= length && !memcmp(list, name, length) &&
		    (n == length || list[length] == PROTOCOL_HEIRS))
			return true;
		if (list[n] != PROTOCOL_JOIN_SEPARATOR)
			return false;
	}
}

static bool obeys(const char *pid, const char *session)
{
	const char variable[] = "\n" PROTOCOL_JOIN_ENV "=";
	char *text = read_text(pid, "environ");
	char *found = text ? strstr(text, variable) : NULL;
	bool obeying = found && listed(found + strlen(variable), session);

	free(text);
	return obeying;
}

bool joiner(pid_t pid, const char *session)
{
	char number[24];

	snprintf(number, sizeof(number), "%d", pid);
	return obeys(number, session);
}

bool joiners_exist(const char *session, const char *directory)
{
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	dir = opendir("/proc");
	while (dir && !found && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			found = obeys(entry->d_name, session) &&
				maps(entry->d_name, "/libtaffrail", directory);
	if (dir)
		closedir(dir);
	return found;
}
