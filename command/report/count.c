/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts events: by trace, by name, by the value of --by, and the values of
 * --field.
 *
 * The counts of a class are kept with the class while events are read, as most
 * traces have few classes and many events. count_finish() adds them up to those
 * of traces and of names.
 *
 * Invariant: a class of a trace has one struct report_class, made before its
 * first event is counted. What --by, --field and the locks need of an event is
 * looked up then, once, and not for each event.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command/report/private.h"
#include "traces/array.h"

/* Returns the use of a field of these events, or of the context, made if it is
 * not there; NULL without memory. The report owns it. Numbers of two units, and
 * numbers and texts, have a use each. */
static struct field_use *use_of_field(struct report *r,
				      const struct field_at *at,
				      const char *name, const char *event)
{
	bool number = at->class->kind == FIELD_REAL ||
		      (at->class->kind == FIELD_INTEGER &&
		       at->class->base == 10);
	struct field_use **use = &r->uses;

	for (; *use; use = &(*use)->next)
		if (!strcmp((*use)->name, name) && (*use)->number == number &&
		    (*use)->unit == at->class->unit &&
		    !(*use)->event == !event &&
		    (!event || !strcmp((*use)->event, event)))
			return *use;
	*use = calloc(1, sizeof(**use));
	if (*use)
		**use = (struct field_use){
			.name = name, .event = event, .number = number,
			.unit = at->class->unit, .values.max = VALUES_MAX,
		};
	return *use;
}

/*
 * Makes what the report counts of a class: fields, the group, the lock. Returns
 * NULL without memory; the caller frees it with free(). A field that the class
 * does not have is left out, so two classes may have other fields at the same
 * place of the list.
 */
static struct report_class *make_class(struct report *r,
				       const struct trace_class *trace,
				       const struct event_class *event)
{
	struct report_class *c = calloc(1, sizeof(*c) +
					   (r->nfields + r->nkeys) *
					   sizeof(*c->fields));
	struct field_ref *ref;

	if (!c)
		return NULL;
	for (unsigned int i = 0; i < r->nfields; i++) {
		ref = &c->fields[c->nfields];
		if (!field_at_find(&ref->at, trace, event, r->fields[i]))
			continue;
		ref->use = use_of_field(r, &ref->at, r->fields[i],
				  ref->at.source == FIELD_OF_EVENT ?
				  event->name : NULL);
		if (!ref->use) {
			free(c);
			return NULL;
		}
		c->nfields++;
	}
	c->grouped = r->nkeys;
	for (unsigned int i = 0; i < r->nkeys && c->grouped; i++)
		c->grouped = field_at_find(&c->fields[r->nfields + i].at, trace,
					   event, r->keys[i]);
	locks_class(&c->lock, trace, event);
	c->watched = c->nfields || c->grouped || c->lock.step;
	return c;
}

/* Makes the classes of a trace known that are not yet. Returns 0 or -ENOMEM. A
 * trace that grows is met again, so `vtid` is looked up the first time only. */
static int event_meet(struct report *r, const struct trace_class *trace)
{
	static const struct field_class none = { .kind = FIELD_STRUCT };
	static const struct event_class event = { .fields = &none };
	struct report_trace *t;
	struct report_class **more;
	bool met = schema_met(&r->schemas, trace);

	if (!array_reach(&r->traces, &r->ntraces, trace->number, sizeof(*t)))
		return -ENOMEM;
	t = &r->traces[trace->number];
	more = realloc(t->classes, (trace->nclasses + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + t->nclasses, 0,
	       (trace->nclasses - t->nclasses) * sizeof(*more));
	t->classes = more;
	t->nclasses = trace->nclasses;
	if (!t->trace && (!trace->context ||
			  !field_at_find(&t->vtid, trace, &event, "vtid") ||
			  t->vtid.class->kind != FIELD_INTEGER))
		t->vtid.class = NULL;
	t->trace = trace;
	for (size_t i = 0; i < trace->nevents; i++) {
		const struct event_class *class = trace->events[i];

		/* most processes of a program have few of the events */
		if (!class || more[class->number] || (met && class->shared))
			continue;
		more[class->number] = make_class(r, trace, class);
		if (!more[class->number])
			return -ENOMEM;
	}
	return pairs_meet(r->pairs, trace);
}

int count_open(struct report *r)
{
	struct trace_class *const *traces;
	size_t n = reader_traces(r->look.reader, &traces);
	int ret = 0;

	/* traces that come later are met with their first event */
	r->first = INT64_MAX;
	r->last = INT64_MIN;
	for (size_t i = 0; i < n && !ret; i++)
		ret = event_meet(r, traces[i]);
	return ret;
}

/* Makes an event's class known. Returns what is counted of it; NULL for a class
 * that the trace does not describe, and without memory, which sets r->failed.
 */
COLD static struct report_class *class_add(struct report *r,
					   const struct trace_event *event)
{
	size_t trace = event->trace->number;
	uint32_t class = event->class->number;
	struct report_class **to;

	if ((trace >= r->ntraces || class >= r->traces[trace].nclasses) &&
	    event_meet(r, event->trace)) {
		r->failed = true;
		return NULL;
	}
	if (class >= r->traces[trace].nclasses)
		return NULL;
	to = &r->traces[trace].classes[class];
	*to = make_class(r, event->trace, event->class);
	r->failed = r->failed || !*to;
	return *to;
}

void count_loss(struct report *r, const struct trace_loss *loss)
{
	struct report_trace *trace;

	/* some are told before the trace is met */
	if (!array_reach(&r->traces, &r->ntraces, loss->trace->number,
			 sizeof(*trace)))
		return;
	trace = &r->traces[loss->trace->number];
	trace->lost += loss->events;
	/* a packet is met, and losses in it are told, before any event that is
	 * not older */
	if (loss->to == TIME_MIN ||
	    (trace->dated && loss->to <= trace->lost_until))
		return;
	trace->lost_until = loss->to;
	trace->dated = true;
}

struct value *group_take(struct report *r, const struct report_class *class,
			 const struct trace_event *event, bool *found)
{
	struct value_at keys[KEYS_MAX];

	*found = class->grouped;
	for (unsigned int i = 0; i < r->nkeys && *found; i++) {
		const struct field_at *at = &class->fields[r->nfields + i].at;

		keys[i].class = at->class;
		keys[i].at = field_at_bytes(at, event, &keys[i].bytes);
		*found = keys[i].at;
	}
	return *found ? values_take_keys(&r->groups, keys, r->nkeys) : NULL;
}

/* Counts an event's value of a field; a number also for the value of --by, if
 * the event is grouped, as it has one. `group` is NULL without room for it. */
static void count_field(struct report *r, const struct field_ref *ref,
			const struct trace_event *event, bool grouped,
			struct value *group)
{
	const struct field_class *class = ref->at.class;
	struct field_use *use = ref->use;
	const uint8_t *at;
	long double number;
	size_t bytes;

	at = field_at_bytes(&ref->at, event, &bytes);
	if (!at)
		return;
	if (!use->number) {
		values_count(&use->values,
			     values_take(&use->values, class, at, bytes), 0);
		return;
	}
	if (class->kind == FIELD_REAL)
		number = (long double)field_real(class, at);
	else if (class->is_signed)
		number = (int64_t)field_integer(class, at);
	else
		number = field_integer(class, at);
	if (histogram_add(&use->numbers, number))
		r->failed = true;
	if (grouped)
		use->cellless += !cell_add(r, group, use, number);
}

static int by_size(const void *a, const void *b)
{
	const struct report_trace *left = *(const struct report_trace **)a;
	const struct report_trace *right = *(const struct report_trace **)b;

	if (left->events != right->events)
		return left->events > right->events ? -1 : 1;
	return left->trace->number < right->trace->number ? -1 : 1;
}

bool report_has_process(const struct report_trace *t)
{
	/* shared buffers have losses alone */
	return t->trace && (!t->trace->shared || t->lost);
}

const struct report_trace **report_processes(const struct report *r, size_t *n)
{
	const struct report_trace **rows = calloc(r->ntraces + 1,
						  sizeof(*rows));

	*n = 0;
	for (size_t i = 0; i < r->ntraces && rows; i++)
		if (report_has_process(&r->traces[i]))
			rows[(*n)++] = &r->traces[i];
	if (*n)
		qsort(rows, *n, sizeof(*rows), by_size);
	return rows;
}

/* Counts what an event's class is watched for: locks, groups and fields. */
__attribute__((noinline))
static void count_watched(struct report *r, const struct report_class *c,
			  const struct trace_event *event)
{
	struct value *group;
	bool found;

	if (c->lock.step)
		locks_event(r, c, &r->traces[event->trace->number], event);
	group = group_take(r, c, event, &found);
	if (found)
		values_count(&r->groups, group,
			     (uint64_t)(event->end - event->start));
	for (unsigned int i = 0; i < c->nfields; i++)
		count_field(r, &c->fields[i], event, found, group);
}

void count_event(struct report *r, const struct trace_event *event)
{
	size_t number = event->trace->number;
	struct report_trace *t = number < r->ntraces ? &r->traces[number] :
						       NULL;
	uint32_t class = event->class->number;
	struct report_class *c = t && class < t->nclasses ? t->classes[class] :
							    NULL;

	if (unlikely(!c)) {
		c = class_add(r, event);
		if (!c)
			return;
		t = &r->traces[number];
	}
	if (event->ns < r->first)
		r->first = event->ns;
	if (event->ns > r->last)
		r->last = event->ns;
	c->events++;
	c->bytes += (uint64_t)(event->end - event->start);
	t->last = event->ns;
	pairs_feed(r->pairs, event);
	/* most classes are counted, and no field is read */
	if (c->watched)
		count_watched(r, c, event);
}

/* Returns whether the first class of a name has this name. */
static bool same_name(uint64_t value, const void *key)
{
	return !strcmp(((const struct event_class *)(uintptr_t)value)->name,
		       key);
}

/* Sorts the names, the one with the most events first; the order of equal ones
 * is that of the alphabet, and not that of the traces. */
static int by_events(const void *a, const void *b)
{
	const struct event_row *left = a, *right = b;

	if (left->events != right->events)
		return left->events > right->events ? -1 : 1;
	return strcmp(left->name, right->name);
}

/* Adds the counts of a class to those of the event's name. The index has the
 * first class of each name, whose `priv` is the number of the name's row.
 * Returns 0 or -ENOMEM. */
static int add_name(struct report *r, struct index *index,
		    const struct event_class *event,
		    const struct report_class *c)
{
	uint64_t hash = index_hash(INDEX_HASH, event->name,
				   strlen(event->name));
	struct event_class *first = (void *)(uintptr_t)
		index_find(index, hash, same_name, event->name);
	struct event_row *more;

	if (!first) {
		more = realloc(r->names, (r->nnames + 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		r->names = more;
		more[r->nnames] = (struct event_row){ .name = event->name };
		first = (struct event_class *)event;
		first->priv = (void *)(uintptr_t)r->nnames++;
		if (index_add(index, hash, (uint64_t)(uintptr_t)first))
			return -ENOMEM;
	}
	r->names[(uintptr_t)first->priv].events += c->events;
	r->names[(uintptr_t)first->priv].bytes += c->bytes;
	return 0;
}

/* A process that shares buffers may have another trace, without an event, that
 * tells the losses: both are one row. */
static void row_join(struct report *r, struct report_trace *own)
{
	const struct trace_class *a = own->trace, *b;

	for (size_t i = 0; i < r->ntraces && !a->carrier && !own->events; i++) {
		b = r->traces[i].trace;
		if (!b || !b->carrier || a->vpid != b->vpid ||
		    a->starttime != b->starttime ||
		    strcmp(a->hostname, b->hostname))
			continue;
		r->traces[i].lost += own->lost;
		own->trace = NULL;
		return;
	}
}

int count_finish(struct report *r)
{
	struct index index = { 0 };
	int ret = 0;

	for (size_t i = 0; i < r->ntraces && !ret; i++) {
		struct report_trace *t = &r->traces[i];

		for (size_t k = 0; t->trace && k < t->trace->nevents && !ret;
		     k++) {
			const struct event_class *event = t->trace->events[k];
			const struct report_class *c;

			c = event && event->number < t->nclasses ?
			    t->classes[event->number] : NULL;
			if (!c || !c->events)
				continue;
			t->events += c->events;
			t->bytes += c->bytes;
			ret = add_name(r, &index, event, c);
		}
		r->events += t->events;
		r->bytes += t->bytes;
	}
	for (size_t i = 0; i < r->ntraces; i++)
		if (r->traces[i].trace)
			row_join(r, &r->traces[i]);
	index_clear(&index);
	/* the order was of no use before: values are found by hash */
	if (r->nnames)
		qsort(r->names, r->nnames, sizeof(*r->names), by_events);
	values_sort(&r->groups);
	for (struct field_use *use = r->uses; use; use = use->next)
		values_sort(&use->values);
	return ret;
}

void count_free(struct report *r)
{
	for (size_t i = 0; i < r->ntraces; i++) {
		for (uint32_t k = 0; k < r->traces[i].nclasses; k++)
			free(r->traces[i].classes[k]);
		free(r->traces[i].classes);
	}
	while (r->uses) {
		struct field_use *next = r->uses->next;

		histogram_clear(&r->uses->numbers);
		values_free(&r->uses->values);
		free(r->uses);
		r->uses = next;
	}
	values_free(&r->groups);
	free(r->traces);
	schema_marks_free(&r->schemas);
	free(r->names);
}
