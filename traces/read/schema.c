/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shares the descriptions that traces of the same events have in common. The
 * schemas stand in lists by the length of their text, not in a table of
 * base/index.h, which removes nothing alone.
 */
#include "traces/read/schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "traces/array.h"

/* Returns the list of schemas whose texts have a length. Texts of one length
 * are compared, which ends at the first byte that differs. */
static struct trace_schema **bucket_of(const struct trace_schemas *set,
				    size_t bytes)
{
	return (struct trace_schema **)&set->buckets[bytes % SCHEMA_BUCKETS];
}

struct trace_schema *schema_new(size_t room)
{
	struct trace_schema *schema = calloc(1, sizeof(*schema));

	if (!schema)
		return NULL;
	/* the parser's use, which schema_drop() ends */
	schema->uses = 1;
	schema->text = malloc(room);
	if (!schema->text) {
		free(schema);
		return NULL;
	}
	return schema;
}

struct trace_schema *schema_find(const struct trace_schemas *set,
				 const char *text, size_t bytes)
{
	struct trace_schema *s = *bucket_of(set, bytes);

	while (s && (s->bytes != bytes || memcmp(s->text, text, bytes)))
		s = s->next;
	return s;
}

void schema_add(struct trace_schemas *set, struct trace_schema *schema)
{
	struct trace_schema **first = bucket_of(set, schema->bytes);

	schema->set = set;
	schema->number = ++set->made;
	schema->next = *first;
	*first = schema;
}

int schema_use(struct trace_schema *schema, struct trace_class *trace)
{
	size_t bytes = (schema->nevents + 1) * sizeof(struct event_class *);

	schema->uses++;
	trace->schema = schema;
	trace->context = schema->context;
	trace->context_fixed = schema->context_fixed;
	trace->context_bytes = schema->context_bytes;
	trace->kind = schema->kind;
	/* a table of the trace's own, in which classes of its own may stand */
	trace->events = class_memory_take(&trace->memory, bytes);
	if (!trace->events)
		return -ENOMEM;
	memcpy(trace->events, schema->events, bytes);
	trace->nevents = schema->nevents;
	trace->nclasses = schema->nclasses;
	return 0;
}

void schema_drop(struct trace_schema *schema)
{
	struct trace_schema **at;

	if (!schema || --schema->uses)
		return;
	if (schema->set) {
		at = bucket_of(schema->set, schema->bytes);
		while (*at != schema)
			at = &(*at)->next;
		*at = schema->next;
	}
	class_memory_free(schema->memory);
	free(schema->text);
	free(schema);
}

bool schema_met(struct schema_marks *marks, const struct trace_class *trace)
{
	size_t number = trace->schema ? trace->schema->number : 0;
	bool met;

	if (!number || !array_reach(&marks->met, &marks->n, number, 1))
		return false;
	met = marks->met[number];
	marks->met[number] = 1;
	return met;
}

void schema_marks_free(struct schema_marks *marks)
{
	free(marks->met);
	memset(marks, 0, sizeof(*marks));
}

struct class_memory **schema_memory(struct trace_class *trace,
				    const struct event_class *class)
{
	return class->shared ? &trace->schema->memory : &trace->memory;
}

struct event_class *schema_own_class(struct trace_class *trace, uint32_t id)
{
	struct event_class *own = class_memory_take(&trace->memory,
						    sizeof(*own));

	if (!own)
		return NULL;
	*own = *trace->events[id];
	own->shared = false;
	trace->events[id] = own;
	return own;
}
