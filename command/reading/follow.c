/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Follows directories that are being recorded (traces/follow.h).
 *
 * Invariant: while the command looks at a directory, it holds that directory's
 * lock of a reader, which makes the recorder write buffers that are not full.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sys.h"
#include "base/tunables.h"
#include "command/common/counted.h"
#include "command/common/inode.h"
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
 * those of them that were removed. A directory that is not complete has no
 * rows, and adds nothing. */
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

/* Returns whether the path leads elsewhere by now, so that traces which come
 * later are not found. The directory that was opened is the one that is
 * meant. */
static bool has_gone(const struct look_directory *d)
{
	struct stat then, now;

	return fstat(d->fd, &then) || stat(d->path, &now) ||
	       !inode_same(&then, &now);
}

int look_follow_whole(const struct look *look)
{
	struct trace_class *const *traces;
	size_t n = reader_traces(look->reader, &traces);
	uint64_t ever = 0, removed = 0, before = 0, read = 0;
	bool told = !look->begin && !look->waits;
	int ret = COMMAND_DONE;
	char path[PATH_MAX];

	for (int i = 0; i < look->ndirectories; i++) {
		const struct look_directory *d = &look->directories[i];

		count_ledger(d->fd, "ledger", &ever, &removed);
		before += d->removed;
		told = told && d->told && d->removed != FOLLOW_UNKNOWN;
	}
	for (size_t i = 0; i < n; i++) {
		if (traces[i]->carrier)
			continue;
		read += traces[i]->read;
		if ((size_t)snprintf(path, sizeof(path), "%s/index/ledger",
				     traces[i]->path) < sizeof(path))
			count_ledger(AT_FDCWD, path, &ever, &removed);
	}
	/* of living processes stream.c has told the packets; and --begin leaves
	 * out packets without a look at their events */
	if (told && removed > before && ever > before + read) {
		ever -= before + read;
		command_warn("%s in all %s missing: the recorder has removed "
			     "the oldest (--max-size) before they could be "
			     "read", counted(ever, "event"),
			     agreed(ever, "is", "are"));
	}
	for (int i = 0; i < look->ndirectories; i++) {
		const struct look_directory *d = &look->directories[i];

		if (has_gone(d))
			ret |= command_failed("%s: another program has moved "
					      "or removed this directory "
					      "meanwhile: what came later is "
					      "missing", d->path);
		/* a recording goes on behind --end, or behind the events that a
		 * pipe took; and a recorder writes the list of traces last */
		else if (!follow_held(d->fd, FOLLOW_RECORDER) &&
			 faccessat(d->fd, "traces", F_OK, 0))
			ret |= command_failed(
				faccessat(d->fd, "metadata", F_OK, 0) ?
				"%s: no recorder has it now, and it was not "
				"completed" :
				"%s: this is one trace, and not the directory "
				"that was given to record (-o)", d->path);
	}
	return ret;
}

/* Returns the processor time of this command, in ms. The time of a clock would
 * make pauses longer on a busy machine. */
static int64_t spent_ms(void)
{
	return sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000000;
}

bool look_recorded(struct look *look, int64_t *until)
{
	int64_t begin = spent_ms();
	bool on = false;
	struct follow_news news;

	if (look->rings)
		on = look_rings_news(look, until);
	else
		*until = TIME_MAX;
	/* beside rings, there are none */
	for (int i = 0; i < look->ndirectories; i++) {
		int fd = look->directories[i].fd;

		if (!follow_held(fd, FOLLOW_RECORDER) ||
		    has_gone(&look->directories[i]))
			continue;
		on = true;
		/* a recorder that tells no time may still add older events */
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
		/* the earliest of all recorders */
		*until = news.ns < *until ? news.ns : *until;
	}
	look->cost_ms = spent_ms() - begin;
	return on;
}

void look_pause(const struct look *look, uint64_t most_ns)
{
	/* looks take a tenth of the time, at most */
	int64_t ms = look->cost_ms * 10;

	if (ms < FOLLOW_PAUSE_MS)
		ms = FOLLOW_PAUSE_MS;
	if (ms > FOLLOW_PAUSE_MAX_MS)
		ms = FOLLOW_PAUSE_MAX_MS;
	if ((uint64_t)ms > most_ns / 1000000)
		ms = (int64_t)(most_ns / 1000000) + 1;
	poll(NULL, 0, (int)ms);
}

bool look_uncompleted(const struct look *look, const char *path, size_t from)
{
	struct trace_class *const *traces;
	size_t n = reader_traces(look->reader, &traces);
	bool recorded = false, left = false;
	char ledger[PATH_MAX];
	struct stat st;

	for (; from < n; from++) {
		if (traces[from]->foreign ||
		    (size_t)snprintf(ledger, sizeof(ledger), "%s/index/ledger",
				     traces[from]->path) >= sizeof(ledger) ||
		    stat(ledger, &st) || st.st_size)
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
		command_warn("%s: this recording was not completed: events may "
			     "be missing, and 'taffrail status' tells if they "
			     "are still in buffers", path);
	return left;
}
