/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Follows directories that are being recorded (traces/follow.h).
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/common/counted.h"
#include "command/reading/private.h"
#include "traces/follow.h"
#include "traces/ledger.h"

bool look_follow(struct look *look, char **paths, int n)
{
	look->directories = calloc((size_t)n, sizeof(*look->directories));
	if (!look->directories)
		return false;
	for (int i = 0; i < n; i++) {
		int fd = open(paths[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0)
			continue;
		look->directories[look->ndirectories].path = paths[i];
		look->directories[look->ndirectories++].fd = fd;
		/* where it fails, events come when buffers are full */
		follow_hold(fd, FOLLOW_READER);
	}
	return true;
}

void look_follow_end(struct look *look)
{
	while (look->ndirectories)
		close(look->directories[--look->ndirectories].fd);
	free(look->directories);
	look->directories = NULL;
}

/* Counts, as a complete directory says, events that were ever on its disk, and
 * those of them that were removed. */
static void count_ledger(int dirfd, const char *name, uint64_t *ever,
			 uint64_t *removed)
{
	struct ledger_row row;
	struct ledger ledger;
	const char *at = NULL;

	ledger_open(&ledger, dirfd, name);
	/* kept, overwritten */
	while (ledger.text && ledger_next(&ledger, &at, &row)) {
		*ever += row.n[1] + row.n[2];
		*removed += row.n[2];
	}
	ledger_close(&ledger);
}

/* Tells how many events a recorder has removed before they were read: of living
 * processes stream.c has told the packets. */
static void tell_removed(const struct look *look)
{
	struct trace_class *const *traces;
	size_t n = reader_traces(look->reader, &traces);
	uint64_t ever = 0, removed = 0, before = 0, read = 0;
	bool told = !look->begin && !look->waits;
	char path[PATH_MAX];

	for (int i = 0; i < look->ndirectories; i++) {
		const struct look_directory *d = &look->directories[i];

		count_ledger(d->fd, "ledger", &ever, &removed);
		before += d->removed;
		told = told && d->told && d->removed != FOLLOW_UNKNOWN;
	}
	for (size_t i = 0; i < n; i++) {
		read += traces[i]->read;
		if ((size_t)snprintf(path, sizeof(path), "%s/index/ledger",
				     traces[i]->path) < sizeof(path))
			count_ledger(AT_FDCWD, path, &ever, &removed);
	}
	/* --begin leaves out packets without a look at their events */
	if (!told || removed <= before || ever <= before + read)
		return;
	ever -= before + read;
	command_warn("%s in all %s missing: the recorder has removed the "
		     "oldest (--max-size) before they could be read",
		     counted(ever, "event"), agreed(ever, "is", "are"));
}

/* Returns whether the path leads elsewhere by now, and traces are not found. */
static bool has_gone(const struct look_directory *d)
{
	struct stat then, now;

	return fstat(d->fd, &then) || stat(d->path, &now) ||
	       then.st_dev != now.st_dev || then.st_ino != now.st_ino;
}

static int tell_end(const struct look_directory *d)
{
	if (has_gone(d))
		return command_failed("%s: another program has moved or "
				      "removed this directory meanwhile: what "
				      "came later is missing", d->path);
	/* it goes on behind --end, or behind the events that a pipe took */
	if (follow_held(d->fd, FOLLOW_RECORDER))
		return COMMAND_DONE;
	/* a recorder writes the list of traces last */
	if (faccessat(d->fd, "traces", F_OK, 0))
		return command_failed("%s: no recorder has it now, and it was "
				      "not completed: its recorder was killed, "
				      "or it is not the directory that was "
				      "given to record (-o)", d->path);
	return COMMAND_DONE;
}

int look_follow_whole(const struct look *look)
{
	int ret = COMMAND_DONE;

	tell_removed(look);
	for (int i = 0; i < look->ndirectories; i++)
		ret |= tell_end(&look->directories[i]);
	return ret;
}

bool look_recorded(struct look *look, int64_t *until)
{
	bool on = false;
	struct follow_news news;

	if (look->rings)
		return look_rings_news(look, until);
	*until = TIME_MAX;
	for (int i = 0; i < look->ndirectories; i++) {
		int fd = look->directories[i].fd;

		if (!follow_held(fd, FOLLOW_RECORDER) ||
		    has_gone(&look->directories[i]))
			continue;
		on = true;
		if (!follow_read(fd, &news))
			news.ns = TIME_MIN;
		else if (!look->directories[i].told)
			look->directories[i].removed = news.removed;
		look->directories[i].told |= news.ns != TIME_MIN;
		if (news.ns == FOLLOW_AT_END && !look->waits) {
			look->waits = true;
			command_warn("a recording with --overwrite: its events "
				     "are on disk, and printed, when it ends");
		}
		*until = news.ns < *until ? news.ns : *until;
	}
	return on;
}

static bool has_no_ledger(const struct trace_class *trace)
{
	char path[PATH_MAX];
	struct stat st;

	return !trace->foreign &&
	       (size_t)snprintf(path, sizeof(path), "%s/index/ledger",
				trace->path) < sizeof(path) &&
	       !stat(path, &st) && !st.st_size;
}

bool look_uncompleted(const struct look *look, const char *path, size_t from)
{
	struct trace_class *const *traces;
	size_t n = reader_traces(look->reader, &traces);
	bool recorded = false, left = false;

	for (; from < n; from++) {
		if (!has_no_ledger(traces[from]))
			continue;
		if (follow_recorded(traces[from]->path))
			recorded = true;
		else
			left = true;
	}
	if (recorded)
		command_warn("%s: it is being recorded: there is more to "
			     "come, which 'taffrail view --follow' prints",
			     path);
	if (left)
		command_warn("%s: this recording was not completed: its "
			     "recorder was killed, or could not write; events "
			     "may be missing, and 'taffrail status' tells if "
			     "they are still in buffers", path);
	return left;
}
