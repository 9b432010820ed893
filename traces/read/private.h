/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of this room: a stream is a source of packets or of
 * events; merge.c puts the events of all streams in order.
 */
#ifndef TRACES_READ_PRIVATE_H
#define TRACES_READ_PRIVATE_H

#include "buffers/reader/step.h"
#include "traces/read/where.h"

#define CTF_HEAD_BYTES	(PACKET_HEAD_BYTES - PACKET_PRIVATE_BYTES)

/* A packet in memory, checked but for its events. */
struct read_packet {
	struct packet_head head;
	const uint8_t *events;
	size_t bytes;
};

/* What a stream comes from. */
struct read_source {
	/* Takes the next packet that ends at or behind the reading `begin`.
	 * Returns false at the end, with all problems reported. */
	bool (*packet)(struct read_stream *stream, uint64_t begin,
		       struct read_packet *packet);
	/* Finds the end of the last packet that has events. */
	bool (*last)(struct read_stream *stream, uint64_t *reading);
	/* Looks for packets that are new. Or NULL: there will be none. */
	void (*refresh)(struct read_stream *stream);
	/* Goes back to the first packet. */
	void (*rewind)(struct read_stream *stream);
	void (*close)(struct read_stream *stream);
};

struct read_stream {
	struct trace_event event;	/* the current one */
	const struct read_source *source;
	struct reader *reader;
	char name[32];			/* "stream_1" */
	int64_t base_ns;		/* clock_base() */
	struct cursor cursor;		/* behind the current event */
	struct packet_head head;	/* of the current packet */
	uint64_t begin;			/* reading: no packet ends before */
	bool started;			/* `head` is valid */
	uint64_t events;		/* of the packet, so far */
	size_t rank;			/* among events of one time */
	bool waiting;			/* in the heap: it has an event */
};

struct reader {
	const struct reader_calls *calls;
	struct trace_class **traces;
	size_t ntraces;
	struct read_stream **streams;
	size_t nstreams;
	struct read_stream **heap;	/* streams with a current event */
	size_t nheap;
	const struct where *where;	/* NULL: all events are wanted */
	int64_t begin;
	int64_t end;
	bool started;
	bool follows;			/* reader_follow() was called */
	bool held;			/* the heap's first was not given */
	char **paths;			/* directories that were added */
	size_t npaths;
	bool quiet;			/* problems and losses are not told */
	uint64_t problems;
};

/* Report a problem of a stream's file, or of any file of a trace. */
void reader_problem(struct reader *reader, const char *where,
		    const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Add a trace, or a stream. Return 0 or -ENOMEM. */
int reader_add_trace(struct reader *reader, struct trace_class *trace);
int reader_add_stream(struct reader *reader, struct read_stream *stream);

/* Parses metadata, and makes all that reading needs. Errors as
 * trace_class_parse(). */
int read_trace(struct trace_class *trace, const char *text,
	       unsigned int *line);

/* Names a trace. Returns 0 or -ENOMEM. */
static inline int read_name(struct trace_class *trace, const char *path)
{
	trace->path = class_memory_text(&trace->memory, path);
	return trace->path ? 0 : -ENOMEM;
}

/* Opens the streams of a trace's directory that are new. Returns 0 or a
 * negative errno. */
int read_files_open(struct reader *reader, struct trace_class *trace, int fd);

/* Reads the metadata of a trace again, and adds the events that are new.
 * Returns whether there are any. */
bool read_trace_again(struct trace_class *trace);

/* Looks for new traces and streams below the directories. Returns 0 or
 * -ENOMEM. */
int reader_find(struct reader *reader);

/* Moves to the stream's next event. Returns false at its end. */
bool stream_next(struct read_stream *stream);

/* Sets steps of an event: steps_make() returns 0 or -ENOMEM. */
int steps_make(struct trace_class *trace, struct event_class *event);

#endif
