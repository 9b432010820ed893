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
#define DRAIN_EARLY_NS	800000000ull	/* until rules are told of; an agent
					 * has begun by then */

/* Empty: all zeros. */
struct drain {
	struct trace_set set;
	struct outcome *outcome;
	struct consumer **images;	/* all */
	size_t nimages;
	struct consumer **open;		/* unfinished images */
	size_t nopen;
	struct consumer *shared;	/* of rings that all share, or NULL */
	struct consumer *late[DRAIN_LATE_MAX];	/* finished, still mapped */
	size_t nlate;
	struct rules rules;
	struct places places;		/* that are not switched */
	struct shortage shortage;	/* of room for buffers */
	uint64_t unreadable;		/* rings that made no sense */
	int failed;			/* a failure that was not the disk's */
	int missed;			/* -errno: rings were not emptied */
	bool told;			/* that the disk fails */
	uint64_t early_ns;		/* when rules are told of, 0: not set */
};

/* Makes the directory, or one named by the time for NULL. `limit` is the most
 * bytes that it may take, 0: no limit. The outcome must live as long as the
 * drain. Returns COMMAND_DONE, then the caller calls drain_close(); or
 * COMMAND_FAILED after printing why. */
int drain_open(struct drain *drain, struct outcome *outcome, const char *path,
	       uint64_t limit);

/* Opens the session of an image. The drain owns the result until drain_close()
 * or drain_drop(). Returns as consume_open(), or a negative errno. */
int drain_add(struct drain *drain, struct consumer **image,
	      const struct rundir_process *process, uint32_t number,
	      const char *session);

/* Opens the rings that the processes of the session share. If that fails, the
 * trace is incomplete, which drain_note() tells. */
void drain_add_shared(struct drain *drain, struct rundir *dir,
		      const char *session);

/* Returns the consumer of these rings, or NULL; true when a process has joined
 * them; how many have written into them, with so many that have traces of their
 * own: at least one, as a trace without an event has, if one has joined. */
static inline struct consumer *drain_shared(const struct drain *drain)
{
	return drain->shared;
}

bool drain_joined(const struct drain *drain);
size_t drain_processes(const struct drain *drain, size_t own);

/* Returns the directory of the traces. */
static inline const struct trace_set *drain_set(const struct drain *drain)
{
	return &drain->set;
}

/* Gives back an image that drain_add() has just made. */
void drain_drop(struct drain *drain, struct consumer *image);

/* Looks for new rings. Returns 0, or the last negative errno. */
int drain_scan(struct drain *drain);

/* Empties each ring, but begins none after `end`, an instant of
 * CLOCK_MONOTONIC. Returns true when there was anything. */
bool drain_poll(struct drain *drain, uint64_t end);

/* Returns true when no image has a ring in which drain_poll() could find
 * anything. */
bool drain_idle(const struct drain *drain);

/* Empties an image for good, and takes counters and places from the session's
 * page. `fd` is the process's directory. Returns false, and does nothing, for a
 * finished image. */
bool drain_finish(struct drain *drain, struct consumer *image, int fd);

/* Takes the markers of a finished image, and frees the session, if the trace
 * does not need it any more. */
void drain_settle(struct drain *drain, struct consumer *image);

/* Returns true when no event of a finished image is left in the buffers: then
 * the files may be removed. */
bool drain_collected(const struct drain *drain, const struct consumer *image);

/* Returns true when that is so for all images that were finished, as far as
 * their rings made sense. */
static inline bool drain_whole(const struct drain *drain)
{
	return !drain->failed && !drain->unreadable;
}

/* Takes in so many programs without room for files, as shortage_programs(). */
static inline void drain_lack(struct drain *drain, uint64_t programs,
			      bool uncounted, int error, int fd)
{
	shortage_programs(&drain->shortage, programs, uncounted, error, fd);
}

/* Tells, once, that the trace cannot be written, if that is so. The recorder
 * goes on: events that cannot be written still leave the rings, and are counted
 * as lost. */
void drain_tell_unwritten(struct drain *drain);

/* Tells, DRAIN_EARLY_NS after the first call, which rules have selected no
 * marker of an image so far, or why their conditions fit none: most likely a
 * typing error. Not if the last scan for processes has failed (`crowded`): one
 * that is not read may have the marker. Returns true if it has told one now. */
bool drain_tell_early(struct drain *drain, const struct record_options *o,
		      int crowded, uint64_t now_ns);

/*
 * Tells, when the traces are complete, which rules have selected no marker, and
 * which places are not switched. `some` is as for rules_note(); without `rules`
 * the places alone.
 */
void drain_tell_rules(struct drain *drain, const struct record_options *o,
		      bool rules, bool some);

/* Returns the markers that were taken. */
static inline const struct rules *drain_rules(const struct drain *drain)
{
	return &drain->rules;
}

/* Completes the traces. Call it when each image is finished, and no process
 * waits for the recorder: it reads the programs' files. */
void drain_end(struct drain *drain);

/*
 * Adds to the outcome the failures and losses of the traces. `session` is the
 * recording's name, `directory` the runtime directory, `crowded` the errno of
 * the last scan for processes, or 0; with `fail_on_loss` lost events are a
 * failure.
 */
void drain_note(struct drain *drain, const char *session,
		const char *directory, int crowded, bool fail_on_loss);

/* Prints why trace_set_open() has failed. Returns COMMAND_FAILED. */
int drain_tell_unopened(const char *path, int ret);

/* Adds to an outcome the failures and losses of a finished directory of traces;
 * `unreadable` rings were cut short or made no sense. */
void drain_note_set(const struct trace_set *set, uint64_t unreadable,
		    bool fail_on_loss, struct outcome *outcome);

/* Prints the summary for so many processes with a trace, or that there is none;
 * `missed` is the number of hits that callbacks missed. With `remedy` also how
 * fewer events would be lost, where no cause says so. */
void drain_summary(const struct drain *drain, size_t processes, uint64_t missed,
		   bool remedy);

/* Frees everything, the images too. */
void drain_close(struct drain *drain);

#endif
