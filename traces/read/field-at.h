/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds a field of events by its name, once for each class of events, and then
 * its bytes in each event.
 *
 * A name means a field of the event; else a context; else, of every event,
 * `cpu`, `vpid` or `procname`, as the stream and the environment have them.
 */
#ifndef TRACES_READ_FIELD_AT_H
#define TRACES_READ_FIELD_AT_H

#include "traces/read/merge.h"

/* Where the bytes of a field are. */
enum field_source {
	FIELD_OF_EVENT,
	FIELD_OF_CONTEXT,
	FIELD_OF_STREAM,		/* cpu */
	FIELD_OF_TRACE,			/* vpid, procname */
};

/* The place of a field in the events of one class. It is good as long as the
 * class. */
struct field_at {
	const struct field_class *class;
	enum field_source source;
	uint32_t offset;		/* bytes before `from`, always */
	uint32_t from;			/* the first member to step over */
	uint32_t to;			/* the number of `whole` */
	const struct field_class *whole;	/* the event's member that is
						 * the field or has it */
	uint32_t inner;			/* bytes before the field in that, or in
					 * the option */
	/* in `whole`, or NULL: the field is in one of the options */
	const struct field_class *variant;
	const struct field_class *option;
	uint32_t before;		/* bytes of `whole` before `variant` */
};

/* Returns false if events of the class have no such field. That of a structure
 * is "at.x", that of an array of fixed size "v.0", the option of a union "u.A",
 * or as a marker calls it "u.value.A". */
bool field_at_find(struct field_at *at, const struct trace_class *trace,
		   const struct event_class *event, const char *name);

/* Returns the field's first byte, and sets *bytes to its size. Returns NULL if
 * the event is damaged, or if the union holds another option. */
const uint8_t *field_at_bytes(const struct field_at *at,
			      const struct trace_event *event, size_t *bytes);

/* Returns the option that a union holds, moves *at there, and sets *bytes to
 * the option's size. Returns any other class as it is. */
const struct field_class *field_held(const struct field_class *class,
				     const uint8_t **at, size_t *bytes);

/* Returns whether a user's word names "CHANNEL:NAME": with ':' or '/', or by
 * the name alone. */
bool event_name_is(const char *name, const char *written);

#endif
