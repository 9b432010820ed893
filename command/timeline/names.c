/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gives numbers to the traces' processes, lanes and classes of events. Equal
 * classes of several traces have one number.
 *
 * Invariant: a name costs a look into a table for each event,
 * and nothing is compared.
 */
#include <stdlib.h>

#include "command/timeline/private.h"
#include "traces/array.h"
#include "traces/read/field-at.h"

static bool find_context(struct field_at *at, const struct trace_class *trace,
			 const char *name)
{
	static const struct field_class none = { .kind = FIELD_STRUCT };
	static const struct event_class event = { .fields = &none };

	return trace->context && field_at_find(at, trace, &event, name) &&
	       at->source == FIELD_OF_CONTEXT;
}

/* Finds the contexts that tell the lane of an event. */
static bool make_trace(struct timeline *t, struct page_trace *made,
		       const struct trace_class *trace)
{
	made->trace = trace;
	made->has_vtid = find_context(&made->vtid, trace, "vtid") &&
			 made->vtid.class->kind == FIELD_INTEGER;
	made->has_vpid = find_context(&made->vpid, trace, "vpid") &&
			 made->vpid.class->kind == FIELD_INTEGER;
	made->has_procname = find_context(&made->procname, trace,
					  "procname") &&
			     (made->procname.class->kind == FIELD_TEXT ||
			      made->procname.class->kind == FIELD_STRING);
	made->contexts.number = trace->number;
	return !shape_make(&made->contexts, trace->context);
}

struct page_trace *page_trace(struct timeline *t,
			      const struct trace_event *event)
{
	uint32_t number = event->trace->number;

	while (number >= t->ntraces) {
		if (!array_grow(&t->traces, t->ntraces, sizeof(*t->traces)))
			return NULL;
		t->traces[t->ntraces++] = NULL;
	}
	if (!t->traces[number]) {
		struct page_trace *made = calloc(1, sizeof(*made));

		if (!made)
			return NULL;
		t->traces[number] = made;
		if (!make_trace(t, made, event->trace))
			return NULL;
	}
	return t->traces[number];
}

/* Finds the process of a trace, or in a trace of several processes the one of
 * this pid. There are few. */
static struct page_process *find_process(struct timeline *t,
					 const struct trace_class *trace,
					 int64_t pid, uint32_t *number)
{
	struct page_process *made;

	for (size_t i = t->nprocesses; i-- > 0;) {
		if (t->processes[i]->trace == trace &&
		    t->processes[i]->pid == pid) {
			*number = (uint32_t)i;
			return t->processes[i];
		}
	}
	if (!array_grow(&t->processes, t->nprocesses, sizeof(made)))
		return NULL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return NULL;
	made->trace = trace;
	made->pid = pid;
	*number = (uint32_t)t->nprocesses;
	t->processes[t->nprocesses++] = made;
	return made;
}

/* Makes a lane, and its process if it is new. Returns NULL without memory. */
static struct page_lane *make_lane(struct timeline *t,
				   struct page_trace *trace,
				   const uint64_t key[2])
{
	struct page_lane *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	if (!array_grow(&t->lanes, t->nlanes, sizeof(made)) ||
	    !find_process(t, trace->trace, (int64_t)key[0], &made->process)) {
		free(made);
		return NULL;
	}
	made->number = (uint32_t)t->nlanes;
	made->trace = trace->trace;
	made->contexts = &trace->contexts;
	made->is_cpu = !trace->has_vtid;
	made->id = (int64_t)key[1];
	made->first = INT64_MAX;
	t->lanes[t->nlanes++] = made;
	return made;
}

static uint64_t context_integer(const struct field_at *at,
				const struct trace_event *event)
{
	size_t bytes;
	const uint8_t *p = field_at_bytes(at, event, &bytes);

	return p ? field_integer(at->class, p) : 0;
}

static void take_name(const struct page_trace *trace, struct page_lane *lane,
		      const struct trace_event *event)
{
	size_t bytes;
	const uint8_t *p = field_at_bytes(&trace->procname, event, &bytes);

	if (!p || !bytes || !*p)
		return;
	bytes = bytes < sizeof(lane->name) ? bytes : sizeof(lane->name) - 1;
	memcpy(lane->name, p, bytes);
	lane->name[bytes] = '\0';
}

struct lane_key {
	struct timeline *t;
	const uint64_t *key;
};

static int is_lane(uint64_t value, const void *priv)
{
	const struct lane_key *want = priv;
	const struct page_lane *lane = want->t->lanes[value - 1];

	return lane->id == (int64_t)want->key[1] &&
	       want->t->processes[lane->process]->pid == (int64_t)want->key[0];
}

struct page_lane *page_lane(struct timeline *t, struct page_trace *trace,
			    const struct trace_event *event)
{
	uint64_t key[2], hash, found;
	struct lane_key want = { t, key };
	struct page_lane *lane = trace->current;

	key[0] = (uint64_t)trace->trace->vpid;
	if (trace->trace->vpid < 0 && trace->has_vpid)
		key[0] = context_integer(&trace->vpid, event);
	key[1] = trace->has_vtid ? context_integer(&trace->vtid, event) :
				   event->cpu;
	if (!lane || key[0] != trace->current_key[0] ||
	    key[1] != trace->current_key[1]) {
		hash = index_hash(INDEX_HASH, key, sizeof(key));
		found = index_find(&trace->lanes, hash, is_lane, &want);
		lane = found ? t->lanes[found - 1] : make_lane(t, trace, key);
		if (!lane || (!found && index_add(&trace->lanes, hash,
						  lane->number + 1ull)))
			return NULL;
		trace->current = lane;
		trace->current_key[0] = key[0];
		trace->current_key[1] = key[1];
	}
	if (trace->has_procname)
		take_name(trace, lane, event);
	return lane;
}

struct class_key {
	struct timeline *t;
	const struct bytes *described;
};

static int is_class(uint64_t value, const void *priv)
{
	const struct class_key *want = priv;
	const struct bytes *a = &want->t->classes[value - 1]->described;

	return a->n == want->described->n &&
	       !memcmp(a->p, want->described->p, a->n);
}

/* Finds the class that has this name and these fields, or makes it. */
static struct page_class *intern_text(struct timeline *t,
				 const struct event_class *event)
{
	struct bytes described = { 0 };
	struct class_key want = { t, &described };
	struct page_class *made;
	uint64_t hash, found;

	bytes_text(&described, event->name);
	describe_field(&described, event->fields);
	hash = index_hash(INDEX_HASH, described.p, described.n);
	found = index_find(&t->by_description, hash, is_class, &want);
	if (found) {
		bytes_free(&described);
		return t->classes[found - 1];
	}
	made = calloc(1, sizeof(*made));
	if (described.failed || !made ||
	    !array_grow(&t->classes, t->nclasses, sizeof(made)) ||
	    shape_make(&made->shape, event->fields) ||
	    index_add(&t->by_description, hash, t->nclasses + 1)) {
		bytes_free(&described);
		free(made);
		return NULL;
	}
	made->name = event->name;
	made->described = described;
	made->shape.number = (uint32_t)t->nclasses;
	t->classes[t->nclasses++] = made;
	return made;
}

struct page_class *page_class(struct timeline *t, struct page_trace *trace,
			      const struct trace_event *event)
{
	uint32_t number = event->class->number;

	while (number >= trace->nclasses) {
		if (!array_grow(&trace->classes, trace->nclasses,
				sizeof(*trace->classes)))
			return NULL;
		trace->classes[trace->nclasses++] = NULL;
	}
	if (!trace->classes[number])
		trace->classes[number] = intern_text(t, event->class);
	return trace->classes[number];
}

void page_names_free(struct timeline *t)
{
	for (size_t i = 0; i < t->ntraces; i++) {
		if (!t->traces[i])
			continue;
		shape_free(&t->traces[i]->contexts);
		index_clear(&t->traces[i]->lanes);
		free(t->traces[i]->classes);
		free(t->traces[i]);
	}
	for (size_t i = 0; i < t->nprocesses; i++)
		free(t->processes[i]);
	for (size_t i = 0; i < t->nlanes; i++) {
		records_free(&t->lanes[i]->records);
		free(t->lanes[i]->density.bins);
		free(t->lanes[i]);
	}
	for (size_t i = 0; i < t->nclasses; i++) {
		records_free(&t->classes[i]->records);
		shape_free(&t->classes[i]->shape);
		bytes_free(&t->classes[i]->described);
		free(t->classes[i]);
	}
	index_clear(&t->by_description);
	free(t->traces);
	free(t->processes);
	free(t->lanes);
	free(t->classes);
}
