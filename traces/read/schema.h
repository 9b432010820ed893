/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The descriptions that traces of the same events share: processes of one
 * program differ in a few lines of their metadata, and the rest is parsed once.
 *
 * Invariants:
 *  - two traces share a schema only if every byte of their metadata is the
 *    same, but for the declarations that parse_declaration() of tsdl.c takes
 *    for a trace's own;
 *  - a reader of a trace does not change an event class of a schema: each class
 *    that is read gets a copy of the trace's own, schema_own_class().
 */
#ifndef TRACES_READ_SCHEMA_H
#define TRACES_READ_SCHEMA_H

#include "traces/read/classes.h"

#define SCHEMA_BUCKETS	256u

/* Descriptions that several traces may use. The last use frees them. */
struct trace_schema {
	struct trace_schema *next;	/* in the same bucket */
	struct trace_schemas *set;	/* or NULL: one trace's own */
	size_t uses;			/* of traces, and of the parser */
	size_t number;			/* unique in the set; or 0 */
	char *text;			/* the text that all of them have */
	size_t bytes;
	struct class_memory *memory;	/* of all that follows */
	bool stepped;			/* the events have their steps */
	const struct field_class *context;
	bool context_fixed;
	uint32_t context_bytes;
	enum cursor_kind kind;
	struct event_class **events;
	size_t nevents;
	uint32_t nclasses;
};

/* All zero: empty. The set outlives the schemas. */
struct trace_schemas {
	struct trace_schema *buckets[SCHEMA_BUCKETS];
	size_t made;			/* schemas that were added */
};

/* Returns an empty schema, which the caller uses, with room for a text; or
 * NULL. */
struct trace_schema *schema_new(size_t room);

/* Returns the schema of a text, or NULL. */
struct trace_schema *schema_find(const struct trace_schemas *set,
				 const char *text, size_t bytes);

/* Lets others find a schema. The text does not change any more. */
void schema_add(struct trace_schemas *set, struct trace_schema *schema);

/* Makes a trace use a schema: schema_use() returns 0 or -ENOMEM. schema_drop()
 * ends a use, and frees a schema without uses; NULL is none. */
int schema_use(struct trace_schema *schema, struct trace_class *trace);
void schema_drop(struct trace_schema *schema);

/* Returns the memory that lives as long as a class of the trace. */
struct class_memory **schema_memory(struct trace_class *trace,
				    const struct event_class *class);

/* Makes the trace's own class of a shared one. Returns it, or NULL without
 * memory. Other traces keep the shared one. */
struct event_class *schema_own_class(struct trace_class *trace, uint32_t id);

#endif
