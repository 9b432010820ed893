/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DIR/traces: which traces a directory has, so verify notices that a whole one
 * was removed or added.
 *
 * Invariant: the list is written when all traces are complete,
 * and names those that are there then. It is there as a whole or not at all, so
 * verify can take an empty one for a damaged one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/checksum.h"
#include "traces/follow.h"
#include "traces/ledger.h"
#include "traces/private.h"

#define ROW		"trace "
#define TEMPORARY	".traces.new"

void trace_list_write(struct trace_set *set)
{
	char *text = NULL;
	size_t bytes = 0, left = 0;
	FILE *out = open_memstream(&text, &bytes);
	int ret;

	for (size_t i = 0; out && i < set->ntraces; i++) {
		if (set->traces[i]->gone)
			continue;
		left++;
		fprintf(out, ROW "%s\n", set->traces[i]->name);
	}
	if (out && set->gone.traces)
		fprintf(out, TRACE_LIST_LEDGER " %llu\n",
			(unsigned long long)set->gone.traces);
	ret = !out || fclose(out) || !left ||
	      checksum_append(&text, &bytes, LEDGER_CHECKSUM, "");
	/* a part of a list would tell of traces as removed */
	if (!ret && (trace_write_file(set->fd, TEMPORARY, text, bytes) ||
		     renameat(set->fd, TEMPORARY, set->fd, TRACE_LIST)))
		unlinkat(set->fd, TEMPORARY, 0);
	free(text);
}

bool trace_there(int fd)
{
	bool found = !faccessat(fd, "metadata", F_OK, 0) ||
		     !faccessat(fd, "index/session", F_OK, 0);
	DIR *names = found ? NULL : trace_names(fd);
	struct dirent *entry;

	while (names && !found && (entry = readdir(names)))
		found = !strncmp(entry->d_name, "stream_", strlen("stream_"));
	if (names)
		closedir(names);
	return found;
}

/* Returns whether the file of a session in a trace is there, and has this name
 * if one is given. */
static bool session_there(int top, const char *path, const char *name)
{
	struct session_page page;
	bool found;
	int fd;

	if (!name)
		return !faccessat(top, path, F_OK, 0);
	fd = openat(top, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	found = fd >= 0 &&
		pread(fd, &page, sizeof(page), 0) == sizeof(page) &&
		!strncmp(page.name, name, sizeof(page.name));
	if (fd >= 0)
		close(fd);
	return found;
}

bool trace_set_there(int fd, const char *session)
{
	bool found = !session && follow_recorded_at(fd);
	DIR *names = found ? NULL : trace_names(fd);
	char path[NAME_MAX + sizeof("/index/session")];
	struct dirent *entry;

	while (names && !found && (entry = readdir(names))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/index/session", entry->d_name);
		found = session_there(fd, path, session);
	}
	if (names)
		closedir(names);
	return found;
}

/* Returns whether a directory has a trace of this name, directly below it: a
 * list is a text of others, and may name a path. */
static bool named_there(int top, const char *name)
{
	int fd = strchr(name, '/') ? -1 :
		 openat(top, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool found = fd >= 0 && trace_there(fd);

	if (fd >= 0)
		close(fd);
	return found;
}

/* Orders names by their bytes. Callback of qsort() and bsearch(). */
static int name_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int trace_list_check(int top,
		     void (*differs)(const char *name, bool added, void *priv),
		     void *priv)
{
	char **more, *line, *rest, **names = NULL;
	struct dirent *entry;
	struct ledger list;
	DIR *there = NULL;
	size_t n = 0;

	ledger_open(&list, top, TRACE_LIST);
	rest = list.text;
	while (rest && (line = strsep(&rest, "\n"))) {
		if (strncmp(line, ROW, strlen(ROW)))
			continue;
		more = reallocarray(names, n + 1, sizeof(*more));
		if (!more)
			break;
		names = more;
		more[n++] = line + strlen(ROW);
	}
	/* without a list, nothing was added or removed */
	if (n) {
		qsort(names, n, sizeof(*names), name_compare);
		there = trace_names(top);
	}
	for (size_t i = 0; i < n; i++)
		if (!named_there(top, names[i]))
			differs(names[i], false, priv);
	while (there && (entry = readdir(there))) {
		const char *name = entry->d_name;

		if (*name != '.' && named_there(top, name) &&
		    !bsearch(&name, names, n, sizeof(*names), name_compare))
			differs(name, true, priv);
	}
	if (there)
		closedir(there);
	free(names);
	ledger_close(&list);
	return list.damaged || list.empty ? -EBADMSG : 0;
}
