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

/* Opens the streams of a trace in a directory, on which `fd` is open; of one
 * that is `known`, those that are new. A packet that several directories of the
 * trace have is given once. Returns 0 or a negative errno. */
int read_files_open(struct reader *reader, const struct read_place *place,
		    bool known, int fd);

/* Returns whether the packets of a directory that is not open yet may be of the
 * trace's streams, by their numbers and begins. */
bool read_files_agree(struct reader *reader, const struct read_place *place,
		      const struct trace_class *trace, int fd);

/* Adds the events of a longer metadata, of this text or of the file of the
 * trace, that are new. Return whether there are any. Events that were known
 * keep their classes, as readers have pointers to them. */
bool read_trace_more(struct trace_class *trace, const char *text);
bool read_trace_again(struct trace_class *trace);

/* Takes the processes of a trace that a recorder has named since in the trace's
 * directory. */
void read_members_again(struct trace_class *trace);

/* Looks for new traces and streams below the directories that were added.
 * Returns 0 or -ENOMEM; all else is reported. */
int reader_find(struct reader *reader);

/* Moves to the stream's next event. Returns false at the end of the stream. */
bool stream_next(struct read_stream *stream);

/* Sets the steps of an event, or leaves them NULL: then the event is stepped
 * over field by field. Returns 0 or -ENOMEM. */
int steps_make(struct class_memory **memory, struct event_class *event);

#endif
