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

#include "traces/ledger.h"
#include "traces/private.h"

#define ROW		"trace "
#define TEMPORARY	".traces.new"

/* Makes the text. Returns 0; or 1: there is no trace; or a negative errno. */
static int list_make(const struct trace_set *set, char **text, size_t *bytes)
{
	FILE *out = open_memstream(text, bytes);
	size_t left = 0;
	size_t i;

	if (!out)
		return -ENOMEM;
	for (i = 0; i < set->ntraces; i++) {
		if (set->traces[i]->gone)
			continue;
		left++;
		fprintf(out, ROW "%s\n", set->traces[i]->name);
	}
	if (set->gone.traces)
		fprintf(out, TRACE_LIST_LEDGER " %llu\n",
			(unsigned long long)set->gone.traces);
	if (fclose(out))
		return -ENOMEM;
	return left ? trace_add_checksum(text, bytes, LEDGER_CHECKSUM, "") : 1;
}

void trace_list_write(struct trace_set *set)
{
	char *text = NULL;
	size_t bytes = 0;
	int ret, fd;

	ret = list_make(set, &text, &bytes);
	fd = ret ? -1 : openat(set->fd, TEMPORARY, O_WRONLY | O_CREAT |
			       O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd >= 0) {
		ret = trace_write_at(fd, text, bytes, 0);
		if (close(fd) || ret ||
		    renameat(set->fd, TEMPORARY, set->fd, TRACE_LIST))
			unlinkat(set->fd, TEMPORARY, 0);
	}
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

static bool named_there(int top, const char *name)
{
	int fd = strchr(name, '/') ? -1 :
		 openat(top, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool found = fd >= 0 && trace_there(fd);

	if (fd >= 0)
		close(fd);
	return found;
}

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Divides the text of a list into names, and puts these in order. Returns how
 * many there are. */
static size_t names_of(char *text, char ***names)
{
	char **more, *line, *rest = text;
	size_t n = 0;

	*names = NULL;
	while (rest && (line = strsep(&rest, "\n"))) {
		if (strncmp(line, ROW, strlen(ROW)))
			continue;
		more = reallocarray(*names, n + 1, sizeof(*more));
		if (!more)
			break;
		*names = more;
		more[n++] = line + strlen(ROW);
	}
	if (n)
		qsort(*names, n, sizeof(**names), name_compare);
	return n;
}

/* Tells of the traces that are there, and not among these names. */
static void find_added(int top, char **names, size_t n,
		       void (*differs)(const char *name, bool added,
				       void *priv), void *priv)
{
	DIR *there = trace_names(top);
	struct dirent *entry;

	while (there && (entry = readdir(there))) {
		const char *name = entry->d_name;

		if (*name != '.' && named_there(top, name) &&
		    !bsearch(&name, names, n, sizeof(*names), name_compare))
			differs(name, true, priv);
	}
	if (there)
		closedir(there);
}

int trace_list_check(int top,
		     void (*differs)(const char *name, bool added, void *priv),
		     void *priv)
{
	struct ledger list;
	char **names;
	size_t n;

	ledger_open(&list, top, TRACE_LIST);
	n = names_of(list.text, &names);
	for (size_t i = 0; i < n; i++)
		if (!named_there(top, names[i]))
			differs(names[i], false, priv);
	if (n)
		find_added(top, names, n, differs, priv);
	free(names);
	ledger_close(&list);
	return list.damaged || list.empty ? -EBADMSG : 0;
}
