/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One session of one program image on its way from the rings to a trace:
 * emptied while it runs (record), or copied as it stands (snapshot).
 *
 * What must stay true here: an event's description is on disk before the
 * event; a sub-buffer is given back only when its packet was dealt with;
 * every event is on disk or counted.
 */
#ifndef COMMAND_RECORD_CONSUME_H
#define COMMAND_RECORD_CONSUME_H

#include "command/rundir/rundir.h"
#include "traces/trace.h"

struct consumer_ring {
	struct ring_reader reader;
	struct trace_stream *stream;	/* NULL until there is a packet */
};

struct consumer {
	struct trace_set *set;
	int fd;				/* IMAGE/, -1 when finished */
	uint32_t image;
	uint32_t index;			/* of the session */
	bool consume;			/* we own the tails */
	bool finished;
	struct process_page page;
	struct session_view session;
	struct packet_format format;
	struct event_shape *shapes;
	struct trace *trace;		/* NULL until there is a stream */
	struct consumer_ring **rings;
	size_t nrings;
	uint64_t unreadable;		/* rings that made no sense */
	bool missed;			/* finished without all rings, for want
					 * of descriptors */
};

/*
 * Opens the newest session `name` of an image that is not destroyed. With
 * `consume` rings are going to be emptied, if the session is in discard mode.
 * -ENOENT, -EAGAIN: there is none yet; -EPROTO: of another version.
 */
int consume_open(struct consumer **consumer, struct trace_set *set,
		 const struct rundir_process *process, uint32_t image,
		 const char *name, bool consume);

/* Looks for new rings. 0 or a negative errno. */
int consume_scan(struct consumer *consumer);

/* Writes what is complete. Returns 1 when there was something, 0, or -errno
 * (the disk's; losses are being counted). */
int consume_poll(struct consumer *consumer);

/*
 * Writes all that is left, the open packets too, and completes the trace. To
 * be called when the session has stopped or its process is dead; for a
 * snapshot (without `consume`) at any time.
 */
int consume_finish(struct consumer *consumer);

/*
 * Removes the files of a finished session of a dead process, and whatever of
 * its directory nobody else needs. `top` is the runtime directory, or -1.
 */
void consume_remove(struct consumer *consumer,
		    const struct rundir_process *process, int top);

/* Frees all. After trace_set_finish(): the metadata needs the session. */
void consume_close(struct consumer *consumer);

#endif
