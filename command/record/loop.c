/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the processes of a recording, and empties their rings.
 *
 * What must stay true here: the recorder never spins on a ring (that costs the
 * writer 40 ns an event), and never sleeps longer than a burst may take to fill
 * a ring; a directory is removed only when its events are on disk.
 */
#include "command/processes/client.h"
#include "command/record/private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "command/common/command.h"
#include "command/common/limits.h"
#include "command/common/monotonic.h"
#include "command/common/reason.h"
#include "command/processes/layouts.h"
#include "command/record/handed-private.h"
#include "command/record/joiners-private.h"
#include "command/record/member-private.h"
#include "command/rundir/rundir.h"

#define NS_PER_MS	1000000ull
#define POLL_BUSY_MS	1
#define POLL_IDLE_MS	20
#define SCAN_IDLE_MS	250	/* without word from inotify */
#define SCAN_SOON_MS	5	/* after that, or while a ring is being made */
#define SCAN_SHARE	5	/* a scan may take a fifth of our time */
#define JOINERS_MS	50
#define STOP_ROUNDS	3

/* Adds an image if it has our session. Returns 0 or a negative errno. */
static int take_image(struct record *record,
		      const struct rundir_process *process, uint32_t image)
{
	struct record_member *member = member_named(record, process);
	struct consumer **more;
	struct consumer *consumer;
	int ret;

	if (member_has(member, process, image))
		return 0;
	/* another process has its name now */
	if (member && member->done && !member->alive)
		member = NULL;
	else if (member && member->done)
		return 0;
	/* a new process leaves the descriptors that streams need */
	ret = limits_spare_files(CONSUME_FILES);
	if (ret)
		return ret;
	ret = consume_open(&consumer, &record->set, process, image,
			   record->name, true);
	if (ret)
		return ret;
	if (!member)
		member = member_add(record, process);
	if (!member) {
		consume_close(consumer);
		return -EMFILE;
	}
	more = reallocarray(member->images, member->nimages + 1, sizeof(*more));
	if (!more) {
		consume_close(consumer);
		return -ENOMEM;
	}
	member->images = more;
	more[member->nimages++] = consumer;
	/* its agent is called from now on */
	if (image > member->process->image)
		member->process->image = image;
	record_probes_image(record, process);
	return 0;
}

/* Warns, once, of a process of this recording whose pages have another version.
 * Does nothing for other processes. */
static void tell_foreign(struct record *record,
			 const struct rundir_process *process)
{
	struct record_member *member = member_named(record, process);
	char text[LAYOUTS_TEXT_BYTES];

	if (member && member->foreign)
		return;
	if (!member && process->pid != record->program &&
	    !(process->alive && joiner(process->pid, record->name)) &&
	    !rundir_foreign(process, record->name))
		return;
	if (!member)
		member = member_add(record, process);
	if (member)
		member->foreign = true;
	outcome_tell(&record->outcome, MEMBER_OTHER_VERSION,
		     .pid = process->pid,
		     .text = layouts_text(process, text, sizeof(text)));
}

/* Watches a directory below the one that is open on `fd`. Without /proc by the
 * path of that one. */
static void watch(struct record *record, int fd, const char *at,
		  const char *below)
{
	const uint32_t events = IN_CREATE | IN_MOVED_TO | IN_ONLYDIR;
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", fd, below);
	if (inotify_add_watch(record->inotify, path, events) >= 0 ||
	    errno != ENOENT)
		return;
	snprintf(path, sizeof(path), "%s/%s", at, below);
	inotify_add_watch(record->inotify, path, events);
}

/* Notes that a scan ran out of descriptors. They come back when processes end,
 * so a later scan may succeed; what the last scan could not open is missing. */
static void note_crowded(struct record *record, int ret)
{
	if (ret == -EMFILE || ret == -ENFILE || ret == -ENOMEM ||
	    ret == -ENOLCK)
		record->crowded = ret;
}

/* Scans a process. Returns 1 when something in it is still being made. */
static int scan_process(struct record *record,
			const struct rundir_process *process)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	char number[16];
	int soon = 0;
	int ret;
	int n;
	int i;

	/* the watch comes before the look, so no new file is missed */
	if (process->alive)
		watch(record, process->fd, process->path, ".");
	n = rundir_images(process, images, RUNDIR_IMAGES_MAX);
	if (n < 0)
		note_crowded(record, n);
	for (i = 0; i < n; i++) {
		snprintf(number, sizeof(number), "%u", images[i]);
		if (process->alive)
			watch(record, process->fd, process->path, number);
		ret = take_image(record, process, images[i]);
		if (ret == -EAGAIN)
			soon = 1;
		else if (ret == -EPROTO)
			tell_foreign(record, process);
		else
			note_crowded(record, ret);
	}
	return soon;
}

struct scanning {
	struct record *record;
	int soon;
};

static int scan_each(struct rundir_process *process, void *priv)
{
	struct scanning *scanning = priv;

	scanning->soon |= scan_process(scanning->record, process);
	return 0;
}

static void scan_rings(struct record *record)
{
	size_t i;
	size_t j;

	for (i = 0; i < record->nmembers; i++) {
		struct record_member *member = record->members[i];

		for (j = 0; !member->done && j < member->nimages; j++)
			note_crowded(record, consume_scan(member->images[j]));
	}
}

/* Says, once, that processes which begin now are not seen. */
static void tell_displaced(struct record *record)
{
	if (!outcome_told(&record->outcome, CAUSE_RECORD_DISPLACED) &&
	    rundir_displaced_off(&record->dir, record->name, record->off))
		outcome_tell(&record->outcome, RECORD_DISPLACED,
			     .text = record->dir.error);
}

/* Looks for processes, images and rings. */
static void scan(struct record *record)
{
	uint64_t begin = monotonic_ns();
	struct scanning scanning = { .record = record };
	uint64_t pause = SCAN_IDLE_MS * NS_PER_MS;
	uint64_t took;
	size_t i;

	record->scans++;
	record->crowded = 0;
	tell_displaced(record);
	if (record->dir.fd >= 0)
		note_crowded(record, rundir_each(&record->dir, scan_each,
						 &scanning));
	record_handed_look(record, watch);
	note_crowded(record, record_handed_each(record, scan_each, &scanning));
	if (scanning.soon)
		pause = SCAN_SOON_MS * NS_PER_MS;
	/* members that came by pid, from another directory */
	for (i = 0; i < record->nmembers; i++)
		if (!record->members[i]->done)
			scan_process(record, record->members[i]->process);
	scan_rings(record);
	took = monotonic_ns() - begin;
	if (pause < took * SCAN_SHARE)
		pause = took * SCAN_SHARE;
	record->next_scan_ns = monotonic_ns() + pause;
	record->scan_again_ns = monotonic_ns() + took * SCAN_SHARE;
}

int record_join(struct record *record, const struct rundir_process *process)
{
	int ret = take_image(record, process, process->image);

	scan(record);
	return ret;
}

/* Returns true when the program that a living member executes now has no part
 * in the session any more. Says so where another command has ended it. */
static bool was_cut_off(struct record *record, struct record_member *member)
{
	struct consumer *newest = NULL;
	struct process_page page;
	size_t i;

	for (i = 0; i < member->nimages; i++)
		if (!newest || member->images[i]->image > newest->image)
			newest = member->images[i];
	if (!newest || !consume_stopped(newest) || member_ended(member, 0))
		return false;
	if (!rundir_read_process(member->process, newest->image, &page) &&
	    page.clockless)
		return true;
	if (!newest->ran)	/* it has not begun yet */
		return false;
	outcome_tell(&record->outcome, MEMBER_CUT_OFF, .pid = member->pid);
	return true;
}

/* Marks dead members. Returns true when one of them was not collected yet. */
static bool mark_dead(struct record *record)
{
	bool dead = false;
	size_t i;

	for (i = 0; i < record->nmembers; i++) {
		struct record_member *member = record->members[i];

		if (member->done)
			continue;
		member->alive = member->alive && !member_ended(member, 0);
		dead |= !member->alive;
	}
	return dead;
}

/*
 * Collects dead processes; returns how many live. Only a scan that begins after
 * the end of a process sees its last files: a process that ends while others
 * are collected may have executed another program after the previous scan.
 */
static size_t bury(struct record *record)
{
	size_t known = record->nmembers;
	size_t alive = 0, i;

	if (mark_dead(record))
		scan(record);
	for (i = 0; i < known; i++) {
		struct record_member *member = record->members[i];

		if (member->done)
			continue;
		if (member->alive && !was_cut_off(record, member)) {
			record_finish_replaced(record, member);
			alive++;
		} else {
			record_finish_member(record, member);
		}
	}
	return alive + record->nmembers - known;
}

/* Empties each ring, until the recording's end at most; returns true when there
 * was anything. */
static bool empty_rings(struct record *record, uint64_t end)
{
	bool busy = false;
	size_t i;
	size_t j;

	for (i = 0; i < record->nmembers; i++) {
		struct record_member *member = record->members[i];

		for (j = 0; !member->done && j < member->nimages; j++)
			if (consume_poll(member->images[j], end) > 0)
				busy = true;
	}
	return busy;
}

/* Sleeps until something may have happened, at most `ms`. */
static void pause_until(struct record *record, int ms)
{
	struct pollfd fds[2] = {
		{ .fd = record->inotify, .events = POLLIN },
		{ .fd = record->child ? record->child_pidfd : -1,
		  .events = POLLIN },
	};
	char events[4096];
	uint64_t soon = monotonic_ns() + SCAN_SOON_MS * NS_PER_MS;

	if (poll(fds, ARRAY_SIZE(fds), ms) <= 0 || !(fds[0].revents & POLLIN))
		return;
	while (read(record->inotify, events, sizeof(events)) > 0)
		;
	/* soon if the last scan is old; several changes get one scan */
	if (record->next_scan_ns > soon)
		record->next_scan_ns = monotonic_ns() +
				       SCAN_SOON_MS * NS_PER_MS / 5;
}

static void reap(struct record *record)
{
	int status;

	if (record->child && waitpid(record->child, &status, WNOHANG) > 0) {
		record->child = 0;
		record->child_status = status;
		record->next_scan_ns = 0;
	}
}

/*
 * Returns true when the program has ended, no process that takes part lives,
 * and none will: a child that has written nothing yet may still join.
 */
static bool over(struct record *record, size_t alive)
{
	size_t before = record->nmembers;
	uint64_t begin = monotonic_ns();

	if (record->child || alive || begin < record->next_joiners_ns)
		return false;
	if (record->dir.fd >= 0 && joiners_exist(record)) {
		/* it reads files of every process */
		record->next_joiners_ns =
			monotonic_ns() + JOINERS_MS * NS_PER_MS +
			(monotonic_ns() - begin) * SCAN_SHARE;
		return false;
	}
	scan(record);
	return record->nmembers == before;
}

void record_tell_unwritten(struct record *record)
{
	struct outcome *outcome = &record->outcome;
	const char *path = record->set.path;
	int error = -record->set.error;

	if (!error || record->unwritten)
		return;
	record->unwritten = true;
	/* what was there at the start is not there any more */
	if (error == ENOENT)
		outcome_tell(outcome, OUTPUT_REMOVED, .path = path);
	else if (error == EILSEQ)
		outcome_tell(outcome, OUTPUT_CHANGED, .path = path);
	else if (error == ENOSPC || error == EDQUOT)
		outcome_tell(outcome, OUTPUT_FULL, .path = path,
			     .text = reason_of_output(-error));
	else
		outcome_tell(outcome, OUTPUT_UNWRITTEN, .path = path,
			     .text = reason_of_output(-error));
}

/* Continues when the disk is full: events that cannot be written still leave
 * the rings, and are counted as lost. */
void record_loop(struct record *record)
{
	const double seconds = record->options.seconds;
	uint64_t end = seconds > 0 ?
		       monotonic_ns() + (uint64_t)(seconds * 1e9) : UINT64_MAX;
	int ms = POLL_BUSY_MS;

	record->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (record->dir.fd >= 0)
		watch(record, record->dir.fd, record->dir.path, ".");
	while (!record_signal && monotonic_ns() < end) {
		if (monotonic_ns() >= record->next_scan_ns)
			scan(record);
		ms = empty_rings(record, end) ? POLL_BUSY_MS : ms * 2;
		if (ms > POLL_IDLE_MS)
			ms = POLL_IDLE_MS;
		record_tell_unwritten(record);
		reap(record);
		if (over(record, bury(record)))
			break;
		record_followed(record, monotonic_ns());
		record_remove_left(record, monotonic_ns());
		pause_until(record, ms);
	}
}

static void stop_living(struct record *record, size_t from)
{
	size_t i;

	/* in another directory than the first process's */
	for (i = from; i < record->nmembers; i++)
		if (!record->members[i]->done)
			rundir_heirs_remove(record->members[i]->process,
					    record->name);
	for (i = from; i < record->nmembers; i++)
		if (!record->members[i]->done && record->members[i]->alive)
			record_ask(record, record->members[i], MESSAGE_STOP);
}

void record_stop(struct record *record)
{
	size_t asked = 0;
	int round;
	size_t i;

	if (record->dir.fd >= 0)
		rundir_remove_rules(&record->dir, record->name);
	record_handed_stop(record);
	/* the agent that is asked is that of the program it executes now */
	scan(record);
	/* a process may have joined while the others were asked */
	for (round = 0; round < STOP_ROUNDS; round++) {
		size_t before = record->nmembers;

		stop_living(record, asked);
		asked = before;
		scan(record);
		if (record->nmembers == before)
			break;
	}
	for (i = 0; i < record->nmembers; i++) {
		struct record_member *member = record->members[i];

		if (!member->done)
			member->alive = member->alive &&
					!member_ended(member, 0);
	}
	record_finish_all(record);
	if (record->inotify >= 0)
		close(record->inotify);
	record->inotify = -1;
}

void record_release(struct record *record)
{
	size_t i;
	size_t j;

	for (i = 0; i < record->nmembers; i++) {
		struct record_member *member = record->members[i];

		for (j = 0; j < member->nimages; j++)
			consume_close(member->images[j]);
		member_let_go(member);
		free(member->images);
		free(member);
	}
	for (i = 0; i < record->met_room; i++)
		free(record->met[i]);
	free(record->met);
	free(record->members);
	record->members = NULL;
	record->nmembers = 0;
}
