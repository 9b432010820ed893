/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the files of this room; merge.c puts the events of all streams in
 * order.
 */
#ifndef TRACES_READ_PRIVATE_H
#define TRACES_READ_PRIVATE_H

#include "traces/read/source.h"

#define CTF_HEAD_BYTES	(PACKET_HEAD_BYTES - PACKET_PRIVATE_BYTES)

/* Parses metadata, and makes all that reading needs. Schemas and errors as
 * trace_class_parse(). */
int read_trace(struct trace_class *trace, struct trace_schemas *schemas,
	       const char *text, unsigned int *line);

/* Opens the streams of a trace in the directory `path`, on which `fd` is open;
 * of a trace that is `known`, those that are new. A packet that an earlier
 * stream has, in another directory of the trace, is given once. `path` lives as
 * long as the reader. Returns 0 or a negative errno. */
int read_files_open(struct reader *reader, struct trace_class *trace,
		    const char *path, bool known, int fd);

/* Adds the events of a longer metadata, of this text or of the trace's file,
 * that are new. Return whether there are any. */
bool read_trace_more(struct trace_class *trace, const char *text);
bool read_trace_again(struct trace_class *trace);

/* Looks for new traces and streams below the directories. Returns 0 or
 * -ENOMEM. */
int reader_find(struct reader *reader);

/* Moves to the stream's next event. Returns false at its end. */
bool stream_next(struct read_stream *stream);

/* Sets steps of an event: steps_make() returns 0 or -ENOMEM. */
int steps_make(struct class_memory **memory, struct event_class *event);

#endif
