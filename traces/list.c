/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * DIR/traces: which traces a directory has, so verify notices that a whole one
 * was removed.
 *
 * What must stay true here: the list is written when all traces are complete,
 * and names those that are there then. It is there as a whole or not at all, so
 * verify can take an empty one for a damaged one.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/ledger-private.h"
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
	if (fclose(out))
		return -ENOMEM;
	return left ? trace_add_checksum(text, bytes, LEDGER_CHECKSUM, "") : 1;
}

void trace_list_write(struct trace_set *set)
{
	char *text = NULL;
	size_t bytes = 0;
	int ret, fd;

	/* may remove traces */
	trace_limit_room(set, set->ntraces * NAME_MAX);
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
	int again = found ? -1 : openat(fd, ".", O_RDONLY | O_DIRECTORY |
					O_CLOEXEC);
	DIR *stream = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;

	while (stream && !found && (entry = readdir(stream)))
		found = !strncmp(entry->d_name, "stream_", strlen("stream_"));
	if (stream)
		closedir(stream);
	else if (again >= 0)
		close(again);
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

int trace_list_check(int top, void (*missing)(const char *name, void *priv),
		     void *priv)
{
	struct ledger list;
	char *line, *rest;

	ledger_open(&list, top, TRACE_LIST);
	rest = list.text;
	while (rest && (line = strsep(&rest, "\n"))) {
		if (strncmp(line, ROW, strlen(ROW)))
			continue;
		line += strlen(ROW);
		if (!named_there(top, line))
			missing(line, priv);
	}
	ledger_close(&list);
	return list.damaged || list.empty ? -EBADMSG : 0;
}
