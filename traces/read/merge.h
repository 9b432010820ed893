/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the events of traces in the order of time, from sources of all kinds.
 *
 * A source opens streams: the files of a trace directory, rings, another
 * library. A reader merges the streams of all its sources. Events of one time
 * come in the order of their trace's uuid, then of the stream's number, as
 * babeltrace2 has them.
 *
 * Invariants:
 *  - every byte of a trace is checked before it is used: damage is reported,
 *    and all that can be read behind the damage is read;
 *  - an event is valid until the next call of reader_next().
 *
 * A reader belongs to one thread. The caller has called map_guard().
 */
#ifndef TRACES_READ_MERGE_H
#define TRACES_READ_MERGE_H

#include "traces/read/classes.h"

#define TIME_MIN	INT64_MIN
#define TIME_MAX	INT64_MAX

struct read_stream;

/* An event, with pointers into the bytes of its packet. Contexts and fields
 * that a class does not have are empty: their begin is the begin of the next
 * part. */
struct trace_event {
	int64_t ns;			/* since 1970 */
	const struct event_class *class;
	const struct trace_class *trace;
	const uint8_t *start;		/* of the header, if there is one */
	const uint8_t *packet;		/* of trace->packet */
	const uint8_t *specific;	/* of class->specific */
	const uint8_t *context;		/* of trace->context */
	const uint8_t *fields;		/* of class->fields */
	const uint8_t *end;
	uint64_t clock;			/* the reading */
	uint32_t cpu;
	uint64_t instance;		/* the stream's number in its trace */
	struct read_stream *stream;
};

/* Returns the end of an event's contexts. Those of writer records are not in
 * the packet. */
static inline const uint8_t *event_context_end(const struct trace_event *event)
{
	return !event->trace->writers ? event->fields :
	       event->context + sizeof(int32_t);
}

/* Events that a stream lost; or, where `from` is TIME_MIN, before its first
 * packet. */
struct trace_loss {
	const struct trace_class *trace;
	const char *stream;
	uint64_t events;		/* 0: nothing says how many */
	uint64_t packets;		/* that were lost as a whole */
	bool overwritten;		/* faster than they could be read */
	bool absent;			/* from what is read */
	bool calls;			/* no room until they ended; no buffer
					 * would have helped */
	int64_t from;
	int64_t to;
};

/* Calls of a reader to the caller. They come from within the functions of the
 * reader, and may call none of these. */
struct reader_calls {
	/* something cannot be read: `where` is a file, `fact` a sentence */
	void (*problem)(const char *where, const char *fact, void *priv);
	/* events were lost; or NULL */
	void (*loss)(const struct trace_loss *loss, void *priv);
	/* writer records are events like others, as in the packets; else they
	 * are the context vtid of the events behind them */
	bool raw;
	void *priv;
};

struct reader;

/* Returns a reader without streams, or NULL without memory. `calls` lives as
 * long as the reader. */
struct reader *reader_new(const struct reader_calls *calls);
void reader_free(struct reader *reader);

/*
 * Limits traces that processes share to the events of one process: `pid` as it
 * sees it, and `starttime` as its page has it. Call it before the first source.
 */
void reader_only(struct reader *reader, uint32_t pid, uint64_t starttime);

/*
 * Adds all traces below a directory. Returns their number, or a negative errno:
 * -ENOENT, -ENOTDIR and so on of the directory itself; -ENODATA: no trace is
 * below it. Traces that other tracers wrote are problems, unless
 * reader_read_foreign() was called.
 */
int reader_add_directory(struct reader *reader, const char *path);

/*
 * Limits events to those from `begin` to `end`, both included. Call it behind
 * the last source and before reader_next(). Packets that end before `begin` are
 * not read.
 */
void reader_window(struct reader *reader, int64_t begin, int64_t end);

/* Return the window. */
int64_t reader_begin(const struct reader *reader);
int64_t reader_end(const struct reader *reader);

/* Sets the times of the first and the last event, whatever the filter. `first`
 * or `last` may be NULL, and then costs nothing. Returns false if there is no
 * event. Call it where reader_window() can be called. */
bool reader_span(struct reader *reader, int64_t *first, int64_t *last);

/* Returns about when the window's last event is, without looking for it: where
 * the last packet ends. TIME_MIN: only a look at all of them could tell. Call
 * it behind reader_window() and before reader_next(). */
int64_t reader_near_end(struct reader *reader);

/* Limits events to the last n of the window, and a few before, which may have
 * the time of the first. Returns how many events the caller leaves out. Call it
 * behind reader_window(). */
uint64_t reader_tail(struct reader *reader, uint64_t n);

/*
 * For a recording that goes on: reader_follow() makes reader_next() return NULL
 * at an event behind `until`, which a later call gives. reader_refresh() looks
 * for new traces, streams and packets of directories, and takes the packets
 * that other streams have got. Returns 0 or -ENOMEM.
 */
void reader_follow(struct reader *reader, int64_t until);
int reader_refresh(struct reader *reader);

/* Takes the next event. Returns NULL at the end. From the first call on,
 * `gaps` of the traces says which have not their first events. */
const struct trace_event *reader_next(struct reader *reader);

/* Returns true once reader_next() has returned an event. */
bool reader_given(const struct reader *reader);

/* Return the traces of all sources, and how many problems there were. */
size_t reader_traces(const struct reader *reader,
		     struct trace_class *const **traces);
uint64_t reader_problems(const struct reader *reader);

#endif
