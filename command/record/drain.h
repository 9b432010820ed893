/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moves the events of a recording from the rings of all its images to one
 * directory of traces. It owns that directory and the consumer of each image
 * (consumer.h).
 *
 * A forked child that cannot make its files counts its events as lost in the
 * session's page of its parent. It may do so after the recorder has collected
 * the parent and removed the file. So the drain keeps the pages of finished
 * images mapped, and looks at them again at the end.
 *
 * What must stay true: the number of such pages is bounded, as the guards of
 * mappings are (buffers/reader/map.c). The oldest gets its last look early.
 */
#ifndef COMMAND_RECORD_DRAIN_H
#define COMMAND_RECORD_DRAIN_H

#include "command/record/consumer.h"
#include "command/record/rules.h"
#include "command/record/shortage.h"

#define DRAIN_LATE_MAX	1024

struct drain {
	struct trace_set set;
	struct outcome *outcome;
	struct consumer **images;	/* all */
	size_t nimages;
	struct consumer **open;		/* those that are not finished */
	size_t nopen;
	struct consumer *late[DRAIN_LATE_MAX];	/* finished, still mapped */
	size_t nlate;
	struct rules rules;
	struct places places;		/* that are not switched */
	struct shortage shortage;	/* of room for buffers */
	uint64_t unreadable;		/* rings that made no sense */
	int failed;			/* a failure that was not the disk's */
	int missed;			/* -errno: rings were not emptied */
	bool told;			/* that the disk fails */
};

/* Makes the directory, or one named by the time for NULL. `limit` is the most
 * bytes that it may take, 0: no limit. Returns COMMAND_DONE, or COMMAND_FAILED
 * after printing why. */
int drain_open(struct drain *drain, struct outcome *outcome, const char *path,
	       uint64_t limit);

/* Opens the session of an image. The drain owns the result. Returns as
 * consume_open(), or a negative errno. */
int drain_add(struct drain *drain, struct consumer **image,
	      const struct rundir_process *process, uint32_t number,
	      const char *session);

/* Gives back an image that drain_add() has just made. */
void drain_drop(struct drain *drain, struct consumer *image);

/* Looks for new rings. Returns 0, or the last negative errno. */
int drain_scan(struct drain *drain);

/* Empties each ring, but begins none after `end`, an instant of
 * CLOCK_MONOTONIC. Returns true when there was anything. */
bool drain_poll(struct drain *drain, uint64_t end);

/* Empties an image for good, and notes what its session's page says; `fd` is
 * the process's directory. Does nothing for an image that is finished. */
void drain_finish(struct drain *drain, struct consumer *image, int fd);

/* Frees what a finished image no longer needs, with its session. */
void drain_settle(struct drain *drain, struct consumer *image);

/* Returns true when no event of a finished image is left in its buffers. */
bool drain_collected(const struct drain *drain, const struct consumer *image);

/* Tells, once, that the trace cannot be written, if that is so. The recorder
 * goes on: events that cannot be written still leave the rings, and are counted
 * as lost. */
void drain_tell_unwritten(struct drain *drain);

/* Completes the traces, when each image is finished. */
void drain_end(struct drain *drain);

/* Adds to the outcome what is not in the trace of `session`, of what it should
 * have; `crowded` is the errno of the last scan for processes, or 0. */
void drain_note(struct drain *drain, const char *session, int crowded,
		const char *directory);

/* Add to an outcome what a trace lacks: rings that were left out, of which
 * `unreadable` were cut short or made no sense; the first stream file that
 * another program removed or cut; markers that were not enabled; and with
 * --fail-on-loss lost events. */
void drain_note_rings(const struct trace_set *set, uint64_t unreadable,
		      struct outcome *outcome);
void drain_note_spoilt(const struct trace_set *set, struct outcome *outcome);
void drain_note_left_off(const struct trace_set *set, struct outcome *outcome);
void drain_note_losses(const struct trace_set *set, struct outcome *outcome);

/* Prints the summary for so many processes with a trace, or that there is none;
 * `missed` is the number of hits that callbacks missed. */
void drain_summary(const struct drain *drain, size_t processes,
		   uint64_t missed);

/* Frees everything, the images too. */
void drain_close(struct drain *drain);

#endif
