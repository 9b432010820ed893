/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gives numbers to the traces' processes, lanes and classes of events. Equal
 * classes of several traces have one number.
 *
 * A trace, process, lane or class has a struct of its own, which stays at one
 * address while the list of them grows: lanes point to traces, and a trace to
 * the lane of the event before.
 *
 * Invariant: a name costs a look into a table for each event, and nothing is
 * compared.
 */
#include <stdlib.h>

#include "command/timeline/private.h"
#include "traces/array.h"
#include "traces/read/field-at.h"

/* Finds a context of all events of a trace. Returns whether it is there. */
static bool find_context(struct field_at *at, const struct trace_class *trace,
			 const char *name)
{
	static const struct field_class none = { .kind = FIELD_STRUCT };
	static const struct event_class event = { .fields = &none };

	return trace->context && field_at_find(at, trace, &event, name) &&
	       at->source == FIELD_OF_CONTEXT;
}

struct page_trace *page_trace(struct timeline *t,
			      const struct trace_event *event)
{
	const struct trace_class *trace = event->trace;
	struct page_trace *made;

	while (trace->number >= t->ntraces) {
		if (!array_grow(&t->traces, t->ntraces, sizeof(*t->traces)))
			return NULL;
		t->traces[t->ntraces++] = NULL;
	}
	if (t->traces[trace->number])
		return t->traces[trace->number];
	made = calloc(1, sizeof(*made));
	if (!made)
		return NULL;
	t->traces[trace->number] = made;
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
	return shape_make(&made->contexts, trace->context) ? NULL : made;
}

/* Makes a lane, and its process if it is new. In a trace of several processes
 * there is a process for each pid; all are searched, for there are few. Returns
 * NULL without memory. The key is the pid and the thread or CPU. */
static struct page_lane *make_lane(struct timeline *t,
				   struct page_trace *trace,
				   const uint64_t key[2])
{
	struct page_lane *made = calloc(1, sizeof(*made));
	struct page_process *process;
	size_t i = t->nprocesses;

	if (!made || !array_grow(&t->lanes, t->nlanes, sizeof(made)))
		goto out_free;
	while (i && (t->processes[i - 1]->trace != trace->trace ||
		     t->processes[i - 1]->pid != (int64_t)key[0]))
		i--;
	if (!i) {
		if (!array_grow(&t->processes, t->nprocesses, sizeof(process)))
			goto out_free;
		process = calloc(1, sizeof(*process));
		if (!process)
			goto out_free;
		process->trace = trace->trace;
		process->pid = (int64_t)key[0];
		t->processes[t->nprocesses++] = process;
		i = t->nprocesses;
	}
	made->number = (uint32_t)t->nlanes;
	made->process = (uint32_t)(i - 1);
	made->trace = trace->trace;
	made->contexts = &trace->contexts;
	made->is_cpu = !trace->has_vtid;
	made->id = (int64_t)key[1];
	made->first = INT64_MAX;
	t->lanes[t->nlanes++] = made;
	return made;
out_free:
	free(made);
	return NULL;
}

/* Returns a context of an event, which is an integer, or 0 if the event ends
 * before it. */
static uint64_t context_integer(const struct field_at *at,
				const struct trace_event *event)
{
	size_t bytes;
	const uint8_t *p = field_at_bytes(at, event, &bytes);

	return p ? field_integer(at->class, p) : 0;
}

/* What is sought in an index: a lane by the key of make_lane(), or a class by
 * the description. */
struct wanted {
	const struct timeline *t;
	const uint64_t *key;
	const struct bytes *described;
};

/* Returns whether a lane has the id and the pid that are sought. A trace has an
 * index of its own, so the trace need not be compared. */
static bool is_lane(uint64_t value, const void *priv)
{
	const struct wanted *want = priv;
	const struct page_lane *lane = want->t->lanes[value - 1];

	return lane->id == (int64_t)want->key[1] &&
	       want->t->processes[lane->process]->pid == (int64_t)want->key[0];
}

struct page_lane *page_lane(struct timeline *t, struct page_trace *trace,
			    const struct trace_event *event)
{
	uint64_t key[2], hash, found;
	struct wanted want = { .t = t, .key = key };
	struct page_lane *lane = trace->current;
	const uint8_t *name = NULL;
	size_t bytes;

	/* in a trace of several processes, a context has the pid */
	key[0] = (uint64_t)trace->trace->vpid;
	if (trace->trace->vpid < 0 && trace->has_vpid)
		key[0] = context_integer(&trace->vpid, event);
	key[1] = trace->has_vtid ? context_integer(&trace->vtid, event) :
				   event->cpu;
	/* most events are of the lane of the event before */
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
	/* a thread may change the name: the last one counts */
	if (trace->has_procname)
		name = field_at_bytes(&trace->procname, event, &bytes);
	if (name && bytes && *name) {
		bytes = bytes < sizeof(lane->name) ? bytes :
						     sizeof(lane->name) - 1;
		memcpy(lane->name, name, bytes);
		lane->name[bytes] = '\0';
	}
	return lane;
}

/* Returns whether a class has the description that is sought. */
static bool is_class(uint64_t value, const void *priv)
{
	const struct wanted *want = priv;
	const struct bytes *a = &want->t->classes[value - 1]->described;

	return a->n == want->described->n &&
	       !memcmp(a->p, want->described->p, a->n);
}

struct page_class *page_class(struct timeline *t, struct page_trace *trace,
			      const struct trace_event *event)
{
	const struct event_class *class = event->class;
	struct bytes described = { 0 };
	struct wanted want = { .t = t, .described = &described };
	struct page_class *made = NULL;
	uint64_t hash, found;

	while (class->number >= trace->nclasses) {
		if (!array_grow(&trace->classes, trace->nclasses,
				sizeof(*trace->classes)))
			return NULL;
		trace->classes[trace->nclasses++] = NULL;
	}
	if (trace->classes[class->number])
		return trace->classes[class->number];
	/* a class of any trace with this name and these fields */
	bytes_text(&described, class->name);
	describe_field(&described, class->fields);
	hash = index_hash(INDEX_HASH, described.p, described.n);
	found = index_find(&t->by_description, hash, is_class, &want);
	if (found) {
		bytes_free(&described);
		trace->classes[class->number] = t->classes[found - 1];
		return t->classes[found - 1];
	}
	made = calloc(1, sizeof(*made));
	if (described.failed || !made ||
	    !array_grow(&t->classes, t->nclasses, sizeof(made)) ||
	    shape_make(&made->shape, class->fields) ||
	    index_add(&t->by_description, hash, t->nclasses + 1)) {
		bytes_free(&described);
		free(made);
		return NULL;
	}
	made->described = described;
	made->shape.number = (uint32_t)t->nclasses;
	t->classes[t->nclasses++] = made;
	trace->classes[class->number] = made;
	return made;
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
