/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events that a look at rings which goes on cannot read, because they were
 * removed first: by commands, which name each image, and by the limit of dead
 * processes' rings, which counts images and events of a session.
 *
 * Invariant: an event that was read is never told as missing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tunables.h"
#include "command/common/counted.h"
#include "command/reading/private.h"

int live_grow(struct look_rings *live)
{
	struct known *more = reallocarray(live->known, live->n + 1,
					  sizeof(*more));

	if (!more)
		return -ENOMEM;
	live->known = more;
	return 0;
}

/* Takes the session's row of what the limit has removed. */
static void note_limit(const struct keep_row *row, void *priv)
{
	struct look_rings *live = priv;

	if (live->name && !strcmp(row->session, live->name))
		live->limit = *row;
}

void missing_read_limit(struct look_rings *live, struct rundir *dir)
{
	memset(&live->limit, 0, sizeof(live->limit));
	rundir_each_removed(dir, NULL, note_limit, live);
}

void missing_begin(struct look_rings *live, struct rundir *dir,
		   const struct rundir_list *list)
{
	const struct look *look = live->look;
	int top = -1, ret = 0;

	if (!look->keep) {
		if (!look->pid)
			missing_read_limit(live, dir);
		return;
	}
	if (look->pid && list->count) {
		snprintf(live->process, sizeof(live->process), "%s",
			 list->processes[0].name);
		top = openat(list->processes[0].fd, "..",
			     O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	/* without the file, which needs room and a right to write, commands
	 * neither wait for this one nor count the rings that they remove */
	if (look->pid && top >= 0)
		ret = rundir_follow(&live->follower, top,
				    list->processes[0].uid, live->name);
	else if (dir->fd >= 0)
		ret = rundir_follow(&live->follower, dir->fd, dir->uid,
				    live->name);
	if (ret && look->follow)
		command_warn("what other commands remove of session '%s' is "
			     "not told: sessions/.followed.%s: %s", live->name,
			     live->name, strerror(-ret));
	if (look->pid && list->count) {
		live->only = list->processes[0];
		live->top = top;
	}
	if (!look->pid)
		missing_read_limit(live, dir);
	live->before = live->limit;
}

/* Says once that not all removed events are told. */
static void memory_tell(struct look_rings *live)
{
	if (!live->no_memory)
		command_failed("out of memory: not all events that other "
			       "commands remove of session '%s' are told",
			       live->name);
	live->no_memory = live->look->unread = true;
}

/* Keeps a row of a command for the end of the look; a row of the limit that a
 * command cleared is added at once. */
static void row_take(const struct rundir_removed_row *row, void *priv)
{
	struct look_rings *live = priv;
	struct rundir_removed_row *more;

	if (!strcmp(row->process, RUNDIR_ROW_LIMIT)) {
		live->cleared.processes += row->images;
		live->cleared.events += row->events;
		/* it was the row that was read last, or has that in it */
		memset(&live->limit, 0, sizeof(live->limit));
		return;
	}
	more = reallocarray(live->rows, live->nrows + 1, sizeof(*more));
	if (!more) {
		memory_tell(live);
		return;
	}
	live->rows = more;
	more[live->nrows++] = *row;
}

void missing_read(struct look_rings *live)
{
	rundir_removed_rows(&live->follower, row_take, live);
}

/* Counts the events of an image that were not in its rings as they were looked
 * at last. An image that no look has met becomes known, so that it counts once.
 * For images without rows of their own, known ones of which nothing more comes,
 * and that have no row, are taken for some of them. */
static void count_row(struct look_rings *live,
		      const struct rundir_removed_row *row)
{
	bool more = !strcmp(row->process, RUNDIR_ROW_MORE);
	uint64_t images = 0, events = 0;
	struct known *known = NULL;

	for (size_t i = 0; i < live->n && more && images < row->images; i++) {
		known = &live->known[i];
		if (known->rings || known->removed || known->counted)
			continue;
		known->counted = true;
		images++;
		events += known->totals.written + known->totals.lost;
	}
	if (more) {
		if (row->events > events) {
			live->taken += row->images - images;
			live->taken_events += row->events - events;
		}
		return;
	}
	for (size_t i = live->n; i-- > 0 && !known;)
		if (live->known[i].image == row->image &&
		    live->known[i].serial == row->serial &&
		    !strncmp(live->known[i].process, row->process,
			     sizeof(row->process) - 1))
			known = &live->known[i];
	if (!known) {
		if (live->look->pid && strcmp(row->process, live->process))
			return;
		if (live_grow(live)) {
			memory_tell(live);
			return;
		}
		known = &live->known[live->n++];
		memset(known, 0, sizeof(*known));
		snprintf(known->process, sizeof(known->process), "%s",
			 row->process);
		known->image = row->image;
		known->serial = row->serial;
	}
	known->removed = true;
	events = known->totals.written + known->totals.lost;
	if (row->events <= events)
		return;
	live->taken++;
	live->taken_events += row->events - events;
	known->totals.written += row->events - events;
}

void missing_count(struct look_rings *live)
{
	uint64_t images = live->before.processes + live->limit_gone;
	uint64_t events = live->before.events + live->limit_gone_events;
	uint64_t removed = live->limit.processes + live->cleared.processes;
	uint64_t removed_events = live->limit.events + live->cleared.events;

	for (size_t i = 0; i < live->nrows; i++)
		count_row(live, &live->rows[i]);
	live->nrows = 0;
	/*
	 * Images that the limit has removed and that no look has met. Images
	 * that the limit had removed before the processes were listed are
	 * compared with the known images that were not listed. Of these, some
	 * may have gone since; so the result is too small at times, and the
	 * largest one counts.
	 */
	for (size_t i = 0; i < live->n; i++) {
		const struct known *known = &live->known[i];

		if (known->seen || known->alive || known->removed ||
		    known->destroyed)
			continue;
		images++;
		events += known->totals.written;
	}
	if (removed <= images || removed - images <= live->unmet)
		return;
	live->unmet = removed - images;
	live->unmet_events = removed_events > events ?
			     removed_events - events : 0;
}

void missing_forget(struct look_rings *live, const struct known *known)
{
	if (known->removed || known->destroyed)
		return;
	live->limit_gone++;
	live->limit_gone_events += known->totals.written;
}

/* Writes which events are missing. Returns text, or NULL if none is. `ended` is
 * the word for an image: "program" or "ended process". */
static const char *missing_text(char text[CAUSE_TEXT_BYTES], uint64_t events,
				uint64_t images, const char *ended)
{
	if (!images || !events)
		return NULL;
	snprintf(text, CAUSE_TEXT_BYTES, "%s of %s %s",
		 counted(events, "event"), counted(images, ended),
		 agreed(events, "is", "are"));
	return text;
}

void missing_limit_tell(const struct look_rings *live)
{
	if (live->limit.processes)
		command_warn("session '%s': %s with %s %s removed: ended "
			     "processes' buffers had more than %lluM; take "
			     "snapshots earlier, or use a smaller "
			     "--buffer-size", live->name,
			     counted(live->limit.processes, "ended process"),
			     counted(live->limit.events, "event"),
			     agreed(live->limit.processes, "was", "were"),
			     KEEP_BYTES >> 20);
}

void missing_end(struct look_rings *live)
{
	struct look *look = live->look;
	char text[CAUSE_TEXT_BYTES];
	struct cause cause;

	/* rows that came since the last look count as well */
	if (look->follow && !look_interrupted()) {
		missing_read(live);
		missing_count(live);
	}
	if (look->follow && missing_text(text, live->taken_events, live->taken,
					 "program")) {
		cause_set(&cause, 0, EVENTS_REMOVED, .text = text);
		look->unread |= cause_tell(&cause) != COMMAND_DONE;
	}
	if (look->follow && missing_text(text, live->unmet_events, live->unmet,
					 "ended process")) {
		cause_set(&cause, 0, EVENTS_OVER_LIMIT, .text = text,
			  .n = KEEP_BYTES >> 20);
		look->unread |= cause_tell(&cause) != COMMAND_DONE;
	}
	rundir_unfollow(&live->follower);
}
