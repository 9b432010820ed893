/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moves the events of one session of one image from the rings to a trace:
 * empties the rings while the session runs (record), or copies them (snapshot).
 *
 * What must stay true here: an event's description is on disk before the
 * event; a sub-buffer is released only when its packet was written or counted;
 * every event is on disk or counted.
 */
#ifndef COMMAND_RECORD_CONSUMER_H
#define COMMAND_RECORD_CONSUMER_H

#include "command/agents/places.h"
#include "command/record/reach.h"
#include "command/runtime/rundir.h"
#include "traces/trace.h"

/* Descriptors that a process's first stream takes, with those of a moment. */
#define CONSUME_FILES	6

/* A ring of the session. */
struct consumer_ring {
	struct ring_reader reader;
	struct trace_stream *stream;	/* NULL until there is a packet */
};

/* One session of one image. Only the recorder's own thread uses it. */
struct consumer {
	struct trace_set *set;
	int fd;				/* IMAGE/, -1 when finished */
	uid_t owner;			/* of IMAGE/ */
	pid_t pid;			/* of the process */
	uint32_t image;
	uint32_t index;			/* of the session */
	bool consume;			/* this reader moves the tails */
	bool finished;
	bool ran;			/* the session was seen at work */
	bool wanted;			/* a trace is, also without an event */
	bool released;			/* the buffers were removed */
	bool shares;			/* a process that shares rings */
	uint8_t uuid[16];		/* of the page */
	struct process_page *page;	/* NULL once it is settled, */
	struct session_view *session;	/* the same */
	struct file_map late;		/* once it is finished: the session's
					 * page, which children of the process
					 * may still change */
	uint64_t late_unplaced;		/* losses since, of a process that has
					 * no trace, as it shares rings */
	uint64_t late_lost;		/* the counters there, as they were */
	uint32_t late_orphans;		/* then: lost_unplaced, orphans */
	struct packet_format format;
	struct event_shape *shapes;	/* of `format`, until it is settled */
	struct trace *trace;		/* NULL until there is a stream */
	struct consumer_ring **rings;
	size_t nrings;
	uint64_t unreadable;		/* rings that made no sense */
	uint64_t copied;		/* events of a snapshot's rings: on
					 * disk, overwritten, or taken before */
	uint64_t told_lost;		/* lost events that it has counted */
	struct reach reach;		/* of its rings that overwrite */
	int missed;			/* -errno: finished without all rings,
					 * for want of descriptors, say: the
					 * rest is still in them */
};

/*
 * Opens the newest session `name` of an image that is not destroyed. With
 * `consume`, later calls empty the rings, if the session is in discard mode.
 * Returns 0, and the caller calls consume_close(); -ENOENT, -EAGAIN: there is
 * none yet; -EPROTO: another version; or another negative errno. The set must
 * live as long as the consumer, the process need not.
 */
int consume_open(struct consumer **consumer, struct trace_set *set,
		 const struct rundir_process *process, uint32_t image,
		 const char *name, bool consume);

/* Return the image's number; the session's page, as it was read last; whether
 * the processes share the rings; whether the image has a trace of its own;
 * whether it was seen at work; whether the buffers were removed; and, as a
 * negative errno or 0, why a finished one was not emptied. */
static inline uint32_t consume_number(const struct consumer *consumer)
{
	return consumer->image;
}

static inline const struct session_page *
consume_page(const struct consumer *consumer)
{
	return &consumer->session->page;
}

static inline bool consume_shares(const struct consumer *consumer)
{
	return consumer->shares;
}

static inline bool consume_traced(const struct consumer *consumer)
{
	return consumer->trace && !consumer->shares;
}

static inline bool consume_ran(const struct consumer *consumer)
{
	return consumer->ran;
}

static inline bool consume_released(const struct consumer *consumer)
{
	return consumer->released;
}

static inline int consume_missed(const struct consumer *consumer)
{
	return consumer->missed;
}

/* Return how many rings made no sense; and how many events of a snapshot's
 * rings are on disk, overwritten, or were taken before. */
static inline uint64_t consume_unreadable(const struct consumer *consumer)
{
	return consumer->unreadable;
}

static inline uint64_t consume_copied(const struct consumer *consumer)
{
	return consumer->copied;
}

/* Tells a living process how many of them are saved. */
void consume_note_saved(const struct consumer *consumer,
			const struct rundir_process *process);

/* Adds how far back copied buffers reach, and the places that are not
 * switched. */
void consume_reach(struct consumer *consumer,
		   const struct rundir_process *process, struct reach *reach);
void consume_places(const struct consumer *consumer, struct places *places);

/* Returns true when the process has the same page under the image's number, and
 * no other process has a directory of that name; `unread` if that page cannot
 * be read. */
bool consume_same_page(const struct consumer *consumer,
		       const struct rundir_process *process, bool unread);

/* Notes that the rings that processes share change. Returns a watch of inotify,
 * or -1. */
int consume_watch(const struct consumer *consumer, int inotify);

/* Gives the next process that has joined in shared rings, as
 * session_view_member(). */
bool consume_joined(const struct consumer *consumer, struct member_view *found);

/* Removes the buffers of an image that a later one has replaced; each once. */
void consume_release(struct consumer *consumer,
		     const struct rundir_process *process);

/* Returns how many processes have written into the rings, which they share;
 * else 0. */
size_t consume_sharers(const struct consumer *consumer);

/* Returns true when the process has stopped or ended the session, or has not
 * begun. Sets `ran` when it is at work. */
bool consume_stopped(struct consumer *consumer);

/* Gives names to the addresses of a finished trace, which take the time to read
 * files. Call it before trace_set_finish(). Without a trace it does nothing.
 * Processes that share the rings are among the n consumers of `all`. */
void consume_names(struct consumer *consumer, struct consumer **all, size_t n);

/* Returns true when there is nothing that consume_poll() could take before a
 * process makes a ring, or allocates shared ones. */
bool consume_idle(const struct consumer *consumer);

/* Looks for new rings. Returns 0 or a negative errno. A file that is no ring is
 * counted as unreadable, and is no failure. */
int consume_scan(struct consumer *consumer);

/* Writes complete sub-buffers, of each ring not more than it can hold; begins
 * no ring after an instant of CLOCK_MONOTONIC (UINT64_MAX: none). Returns 1
 * when there was one, 0, or a negative errno of the disk (losses are then
 * counted). */
int consume_poll(struct consumer *consumer, uint64_t until_ns);

/* Reads the descriptions of markers, and the page, that the session has now. */
void consume_look(struct consumer *consumer);

/*
 * Writes the rest, also of open sub-buffers, and completes the trace. Call it
 * when the session has stopped or the process is dead; for a snapshot (without
 * `consume`) at any time. Returns 0 or a negative errno. The consumer is
 * finished then, whatever the result; a second call does nothing.
 */
int consume_finish(struct consumer *consumer);

/*
 * Counts events that forked children of a recorded image have lost since
 * consume_finish(), and unmaps the session's page. Returns how many children
 * could not make files since then; *late is the number of these events, and
 * *error says why. The caller counts consumer->late_unplaced.
 */
uint32_t consume_late(struct consumer *consumer, uint64_t *late,
		      int32_t *error);

/* Frees the session, which is most of the memory. Call it when the consumer is
 * finished and the trace does not need the session any more. */
void consume_settle(struct consumer *consumer);

/*
 * Removes the files of a finished session of a dead process, and the parts of
 * the process directory that no other session needs. `top` is the runtime
 * directory, or -1.
 */
void consume_remove(struct consumer *consumer,
		    const struct rundir_process *process, int top);

/* Frees the consumer. Call it after trace_set_finish(), which needs the
 * session. */
void consume_close(struct consumer *consumer);

#endif
