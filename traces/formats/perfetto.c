/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events as a trace of Perfetto, for ui.perfetto.dev: a pair is a slice, every
 * other event an instant, a field an annotation.
 *
 * Invariant: slices of one track are nested, because the end of a slice ends
 * the last one that has begun on the track. Calls of a thread are nested; every
 * other pair has a track while it is open.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "traces/formats/perfetto-private.h"

/*
 * Tracks: of processes, threads, CPUs, and of pairs that may overlap.
 *
 * Invariant: a track's descriptor is written before the first event on it, and
 * its uuid is 0 until then.
 */

/* The purpose of a track: `a` is the number of a trace or kind, and this. */
enum track_for {
	FOR_PROCESS, FOR_THREAD, FOR_CPU, FOR_KIND,
	FOR_KINDS,			/* how many these are */
};

/* Returns whether a track has a purpose. Callback of index_find(). */
static bool is_track(uint64_t value, const void *key)
{
	const struct track *track = (void *)(uintptr_t)value;
	const struct track *wanted = key;

	return track->a == wanted->a && track->b == wanted->b;
}

/* Makes a track without a number, which lives until tracks_free(). Returns NULL
 * without memory. */
static struct track *track_new(struct perfetto *p, uint64_t a, uint64_t b)
{
	struct track *track = calloc(1, sizeof(*track));

	if (!track)
		return NULL;
	track->a = a;
	track->b = b;
	track->all = p->all_tracks;
	p->all_tracks = track;
	return track;
}

/* Returns the track for (a, b), and whether it was made now; or NULL without
 * memory. */
static struct track *track_find(struct perfetto *p, uint64_t a, uint64_t b,
				bool *made)
{
	struct track wanted = { .a = a, .b = b };
	uint64_t hash = (a * 0x9e3779b97f4a7c15ull ^ b) * 0xc2b2ae3d27d4eb4full;
	struct track *track = (void *)(uintptr_t)
		index_find(&p->tracks, hash, is_track, &wanted);

	*made = !track;
	if (track)
		return track;
	track = track_new(p, a, b);
	if (!track || index_add(&p->tracks, hash, (uint64_t)(uintptr_t)track))
		return NULL;
	return track;
}

/* Begins a packet that describes a track, which gets its number. Returns the
 * place for perfetto_packet_end(). No other packet may begin before that. */
static size_t begin_descriptor(struct perfetto *p, struct track *track,
			       const struct track *parent)
{
	size_t at;

	perfetto_packet(p);
	at = protobuf_open(&p->packet, PACKET_TRACK_DESCRIPTOR);
	track->uuid = ++p->last_uuid;
	protobuf_u64(&p->packet, TRACK_UUID, track->uuid);
	if (parent)
		protobuf_u64(&p->packet, TRACK_PARENT, parent->uuid);
	return at;
}

/* Returns the track of a process, or NULL without memory. It may write packets,
 * so none may be open. */
static struct track *track_of_process(struct perfetto *p,
			       const struct trace_class *trace)
{
	bool made;
	struct track *track = track_find(p, trace->number * FOR_KINDS +
					 FOR_PROCESS, 0, &made);
	const char *name = *trace->procname ? trace->procname : trace->path;
	struct out *out = &p->packet;
	size_t at, inner;

	if (!track || !made)
		return track;
	at = begin_descriptor(p, track, NULL);
	if (trace->vpid >= 0) {
		inner = protobuf_open(out, TRACK_PROCESS);
		protobuf_u64(out, PROCESS_PID, (uint64_t)trace->vpid);
		perfetto_text(out, PROCESS_NAME, name, strlen(name));
		protobuf_close(out, inner);
	} else {
		perfetto_text(out, TRACK_NAME, name, strlen(name));
	}
	perfetto_packet_end(p, at);
	return track;
}

/* Does so for an event's thread, or the CPU where threads are not known. */
static struct track *track_of_thread(struct perfetto *p,
			      const struct perfetto_class *class,
			      const struct trace_event *event)
{
	bool known = class->vtid >= 0, made;
	uint64_t a = event->trace->number * FOR_KINDS +
		     (known ? FOR_THREAD : FOR_CPU);
	struct track *track = p->last_thread, *process;
	int32_t vtid = (int32_t)event->cpu;
	struct out *out = &p->packet;
	const char *procname;
	char cpu[24];
	size_t at, inner;
	int n;

	if (known)
		memcpy(&vtid, event->context + class->vtid, sizeof(vtid));
	/* most events are of the thread of the last one */
	if (track && track->a == a && track->b == (uint32_t)vtid)
		return track;
	track = track_find(p, a, (uint32_t)vtid, &made);
	if (!track || !made)
		goto found;
	/* a packet may be written for the track above: so it comes before this
	 * one begins */
	process = track_of_process(p, event->trace);
	if (!process)
		return NULL;
	at = begin_descriptor(p, track, process);
	if (!known) {
		n = snprintf(cpu, sizeof(cpu), "CPU %u", event->cpu);
		perfetto_text(out, TRACK_NAME, cpu, (size_t)n);
		perfetto_packet_end(p, at);
		goto found;
	}
	inner = protobuf_open(out, TRACK_THREAD);
	if (event->trace->vpid >= 0)
		protobuf_u64(out, THREAD_PID, (uint64_t)event->trace->vpid);
	protobuf_u64(out, THREAD_TID, (uint64_t)(int64_t)vtid);
	if (class->procname >= 0) {
		procname = (const char *)event->context + class->procname;
		perfetto_text(out, THREAD_NAME, procname,
			      strnlen(procname, 16));
	}
	protobuf_close(out, inner);
	perfetto_packet_end(p, at);
found:
	if (!track || !track->uuid)
		return NULL;
	p->last_thread = track;
	return track;
}

/* Returns a track for one pair at a time, below another track; or NULL without
 * memory. track_give() gives it back, once the slice on it has ended. Writes a
 * packet for a new one. */
static struct track *track_take(struct perfetto *p,
				const struct pair_kind *kind,
				const struct track *parent)
{
	bool made;
	struct track *pool = track_find(p, (uint64_t)kind->number * FOR_KINDS +
					FOR_KIND, parent->uuid, &made);
	struct track *track = pool ? pool->free : NULL;
	const char *name = perfetto_kind(kind);
	size_t at;

	if (!pool)
		return NULL;
	/* used again, so there are as many tracks as pairs overlap */
	if (track) {
		pool->free = track->free;
		return track;
	}
	track = track_new(p, 0, 0);
	if (!track)
		return NULL;
	track->pool = pool;
	at = begin_descriptor(p, track, parent);
	perfetto_text(&p->packet, TRACK_NAME, name, strlen(name));
	perfetto_packet_end(p, at);
	return track;
}

static void track_give(struct track *track)
{
	track->free = track->pool->free;
	track->pool->free = track;
}

static void tracks_free(struct perfetto *p)
{
	index_clear(&p->tracks);
	while (p->all_tracks) {
		struct track *next = p->all_tracks->all;

		free(p->all_tracks);
		p->all_tracks = next;
	}
}

#define DAY_NS	(86400ll * 1000000000)

static const char *const fixed[] = { "cpu_id", NULL };

/* Returns the time that is written for a time of day. Times of Perfetto are not
 * negative. */
static uint64_t moved_stamp(const struct perfetto *p, int64_t ns)
{
	return ns < -p->moved_ns ? 0 : (uint64_t)(ns + p->moved_ns);
}

/* Writes the meaning of times, at the time of the first event. */
static void put_clocks(struct perfetto *p, int64_t ns)
{
	static const uint64_t clocks[] = { CLOCK_OF_BOOT, CLOCK_OF_DAY };
	struct out *out = &p->packet;
	size_t at, inner;

	perfetto_packet(p);
	at = protobuf_open(out, PACKET_DEFAULTS);
	protobuf_u64(out, DEFAULTS_CLOCK, CLOCK_OF_DAY);
	protobuf_close(out, at);
	at = protobuf_open(out, PACKET_CLOCK_SNAPSHOT);
	for (size_t i = 0; i < 2; i++) {
		inner = protobuf_open(out, SNAPSHOT_CLOCK);
		protobuf_u64(out, CLOCK_ID, clocks[i]);
		protobuf_u64(out, CLOCK_TIMESTAMP, moved_stamp(p, ns));
		protobuf_close(out, inner);
	}
	protobuf_u64(out, SNAPSHOT_PRIMARY, CLOCK_OF_DAY);
	perfetto_packet_end(p, at);
}

/* Begins an event on a track; a name of 0 is none. Returns the place for
 * perfetto_packet_end(). */
static size_t begin_event(struct perfetto *p, enum perfetto_type type,
			  int64_t ns, const struct track *track, uint64_t name)
{
	size_t at;

	perfetto_packet(p);
	protobuf_u64(&p->packet, PACKET_TIMESTAMP, moved_stamp(p, ns));
	at = protobuf_open(&p->packet, PACKET_TRACK_EVENT);
	protobuf_u64(&p->packet, TRACK_EVENT_TYPE, type);
	protobuf_u64(&p->packet, TRACK_EVENT_TRACK, track->uuid);
	if (name)
		protobuf_u64(&p->packet, TRACK_EVENT_NAME, name);
	return at;
}

/* Writes the number of a flow, if there is one. */
static void put_flow(struct perfetto *p, enum perfetto_field field,
		     uint64_t flow)
{
	if (flow)
		protobuf_fixed64(&p->packet, field, &flow);
}

/* Writes an event as an instant on the track of the thread, with a flow if
 * there is one. Without memory p->out.error is set, which perfetto_put() tells.
 */
static void put_instant(struct perfetto *p, const struct trace_event *event,
			enum perfetto_field field, uint64_t flow)
{
	const struct perfetto_class *class = p->class;
	const struct track *track = track_of_thread(p, class, event);
	size_t at;

	if (!track) {
		p->out.error = -ENOMEM;
		return;
	}
	at = begin_event(p, TYPE_INSTANT, event->ns, track, class->name);
	protobuf_u64(&p->packet, TRACK_EVENT_CATEGORY, class->category);
	put_flow(p, field, flow);
	perfetto_values(p, class, class->columns, event);
	perfetto_packet_end(p, at);
}

/* Returns the number of a flow from a pair's begin to the end. It is odd, so
 * never 0: that is no flow. */
static uint64_t flow_of(const struct pair *pair, const struct track *track)
{
	return ((uint64_t)pair->begin * 0x9e3779b97f4a7c15ull ^ track->uuid) |
	       1;
}

/* Begins a slice. A BEGIN is an instant if no event of the traces could end it.
 * A pair by keys has a track of the process, and an instant in the thread, from
 * which a flow leads. Callback of pairs_feed(). */
static void pair_begun(struct pair *pair, const struct trace_event *event,
		  void *priv)
{
	struct perfetto *p = priv;
	uint64_t name, flow = 0;
	struct track *track;
	size_t at;

	/* told stays false: the caller writes the instant */
	if (!pair->kind->given &&
	    (!pair->kind->end || pair->term == TERM_NONE))
		return;
	if (!pair->kind->priv)
		pair->kind->priv = (void *)(uintptr_t)
			perfetto_name(p, INTERNED_EVENT_NAME,
				      perfetto_kind(pair->kind));
	name = (uint64_t)(uintptr_t)pair->kind->priv;
	track = track_of_thread(p, p->class, event);
	if (pair->lane_kind == PAIR_OF_KEYS)
		track = track_of_process(p, event->trace);
	/* calls of another stack are not nested in those of the thread */
	if (pair->outer)
		track = (void *)(uintptr_t)pair->outer;
	else if (track && (!pair->kind->calls || pair->apart))
		track = track_take(p, pair->kind, track);
	if (!track || !name) {
		p->out.error = -ENOMEM;
		return;
	}
	p->told = true;
	pair->priv = (uint64_t)(uintptr_t)track;
	if (pair->lane_kind == PAIR_OF_KEYS) {
		flow = flow_of(pair, track);
		put_instant(p, event, TRACK_EVENT_FLOW, flow);
	}
	at = begin_event(p, TYPE_BEGIN, pair->begin, track, name);
	protobuf_u64(&p->packet, TRACK_EVENT_CATEGORY, p->class->category);
	put_flow(p, TRACK_EVENT_FLOW, flow);
	perfetto_values(p, p->class, p->class->columns, event);
	perfetto_packet_end(p, at);
}

/* Ends the slice of a pair. A pair by keys may end in another thread: its end
 * is an instant there, to which a flow leads. A track that was taken for the
 * pair is free then. Callback of pairs_feed(). */
static void pair_finished(const struct pair *pair,
			  const struct trace_event *event,
		     void *priv)
{
	struct perfetto *p = priv;
	struct track *track = (void *)(uintptr_t)pair->priv;
	bool keys = pair->lane_kind == PAIR_OF_KEYS;
	size_t at;

	if (!track)
		return;
	p->told = true;
	if (keys)
		put_instant(p, event, TRACK_EVENT_FLOW_END,
			    flow_of(pair, track));
	at = begin_event(p, TYPE_END, pair->end, track, 0);
	if (!keys && !pair->whole)
		perfetto_values(p, p->class, p->class->ends, event);
	perfetto_packet_end(p, at);
	if (track->pool && !pair->outer)
		track_give(track);
}

/*
 * Ends the slice of a pair with an END that will never be known, and says so. A
 * call that was left ends with the call around it. A pair that is open at the
 * end of the trace stays open, and so does a call that was given up.
 */
static void pair_unfinished(const struct pair *pair, void *priv)
{
	struct perfetto *p = priv;
	struct track *track = (void *)(uintptr_t)pair->priv;
	const char *why = pair->fate == PAIR_GIVEN_UP ?
			  "given up: too many pairs were open" :
			  pair->fate == PAIR_ENDED ? "rule ended" :
			  "left out: events are missing";
	size_t at, inner;
	uint64_t name;

	if (!track)
		return;
	if (pair->kind->calls && pair->fate != PAIR_ENDED) {
		if (pair->fate != PAIR_LEFT &&
		    !(pair->kind->frames && pair_is_termless(pair)))
			return;
		perfetto_packet_end(p, begin_event(p, TYPE_END, pair->end,
						   track, 0));
		if (track->pool && !pair->outer)
			track_give(track);
		return;
	}
	if (pair->fate < PAIR_GIVEN_UP)
		return;
	name = perfetto_name(p, INTERNED_ANNOTATION_NAME, "no end");
	if (!name) {
		p->out.error = -ENOMEM;
		return;
	}
	at = begin_event(p, TYPE_END, pair->end, track, 0);
	inner = protobuf_open(&p->packet, TRACK_EVENT_ANNOTATION);
	protobuf_u64(&p->packet, VALUE_NAME_IID, name);
	perfetto_text(&p->packet, VALUE_STRING, why, strlen(why));
	protobuf_close(&p->packet, inner);
	perfetto_packet_end(p, at);
	if (!pair->kind->calls || (track->pool && !pair->outer))
		track_give(track);
}

/* Ends the slice of a call that seems to be left: slices around it may end
 * next. */
static void pair_aside(struct pair *pair, void *priv)
{
	pair_unfinished(pair, priv);
	pair->priv = 0;
}

/* Opens the output, and makes the pairs of all rules and names. If the first
 * event is before 1970, moves all times by whole days, which leaves the times
 * of day. */
static int perfetto_open(struct exporter *x)
{
	struct perfetto *p = calloc(1, sizeof(*p));
	struct trace_class *const *traces;
	const char *wrong = "";
	int64_t first, days;
	size_t n;
	int ret;

	if (!p || out_open(&p->out, x->fd)) {
		free(p);
		return export_failed(x, -ENOMEM, "out of memory");
	}
	x->own = p;
	p->tables.fixed = fixed;
	if (out_open(&p->packet, -1))
		return export_failed(x, -ENOMEM, "out of memory");
	/* without an event there is no time to move */
	if (reader_span(x->reader, &first, NULL)) {
		if (first < reader_begin(x->reader))
			first = reader_begin(x->reader);
		p->last_ns = first;
		days = first < 0 ? -(first + 1) / DAY_NS + 1 : 0;
		if (days > INT64_MAX / DAY_NS)
			return export_failed(x, -ERANGE, "the first event is "
					     "too long before 1970 for times "
					     "of Perfetto");
		x->moved_days = (int)days;
		p->moved_ns = days * DAY_NS;
	}
	p->calls = (struct pair_calls){
		.begun = pair_begun, .finished = pair_finished,
		.unfinished = pair_unfinished, .aside = pair_aside, .priv = p,
	};
	p->pairs = pairs_new(&p->calls);
	if (!p->pairs)
		return export_failed(x, -ENOMEM, "out of memory");
	if (x->by_cpu)
		pairs_by_cpu(p->pairs);
	for (size_t i = 0; i < x->npairs; i++) {
		ret = pairs_add(p->pairs, x->pairs[i], &wrong);
		if (ret)
			return export_failed(x, ret, "%s: %s", x->pairs[i],
					     wrong);
	}
	/* pair_begun() must know all ENDs, so all kinds are made now */
	n = reader_traces(x->reader, &traces);
	for (size_t i = 0; i < n; i++)
		if (pairs_meet(p->pairs, traces[i]))
			return export_failed(x, -ENOMEM, "out of memory");
	return 0;
}

/* Finds a context at a fixed place: a text, or a number of four bytes. Returns
 * the offset, or -1. */
static int32_t offset_of(const struct trace_class *trace, const char *name)
{
	int32_t offset = 0;

	for (size_t i = 0; trace->context && i < trace->context->nmembers;
	     i++) {
		const struct field_class *member = &trace->context->members[i];

		if (!strcmp(member->name, name) &&
		    (member->kind == FIELD_TEXT || member->bytes == 4))
			return offset;
		if (member->kind > FIELD_ENUM && member->kind != FIELD_TEXT)
			break;
		offset += member->kind == FIELD_TEXT ? (int32_t)member->count :
						       member->bytes;
	}
	return -1;
}

/* Returns the interned names of cpu_id and the columns, "NAME" or "end.NAME";
 * or NULL. The caller frees the array. */
static uint64_t *name_columns(struct perfetto *p,
			      const struct table_class *table, const char *lead)
{
	uint64_t *names = calloc(table->ncolumns + 1, sizeof(*names));

	for (size_t i = 0; names && i <= table->ncolumns; i++) {
		char *name;

		if (asprintf(&name, "%s%s", lead, i ? table->columns[i - 1].name
						    : fixed[0]) < 0)
			break;
		names[i] = perfetto_name(p, INTERNED_ANNOTATION_NAME, name);
		free(name);
	}
	if (names && names[table->ncolumns])
		return names;
	free(names);
	return NULL;
}

/* Writes the names of a class, before its first event. */
static int perfetto_begin(struct exporter *x, const struct trace_event *event,
			  void *own)
{
	struct perfetto *p = x->own;
	struct perfetto_class *class = own;
	const char *name = event->class->name;
	char *channel = strndup(name, strcspn(name, ":"));

	if (!p->started)
		put_clocks(p, event->ns);
	class->vtid = offset_of(event->trace, "vtid");
	class->procname = offset_of(event->trace, "procname");
	class->table = table_class_new(&p->tables, event->trace, event->class);
	if (class->table && channel) {
		class->category = perfetto_name(p, INTERNED_CATEGORY, channel);
		class->name = perfetto_name(p, INTERNED_EVENT_NAME, name);
		class->columns = name_columns(p, class->table, "");
		class->ends = name_columns(p, class->table, "end.");
	}
	free(channel);
	if (!class->category || !class->name || !class->columns || !class->ends)
		return export_failed(x, -ENOMEM, "out of memory");
	return 0;
}

/* Writes an event as an instant, unless it begins or ends a slice: then the
 * calls of pairs_feed() have written it. */
static int perfetto_put(struct exporter *x, const struct trace_event *event,
			void *own)
{
	struct perfetto *p = x->own;

	if (event->ns > INT64_MAX - p->moved_ns)
		return export_failed(x, -ERANGE, "the events are of more years "
				     "than times of Perfetto have");
	p->class = own;
	p->told = false;
	p->last_ns = event->ns;
	pairs_feed(p->pairs, event);
	if (!p->told)
		put_instant(p, event, TRACK_EVENT_FLOW, 0);
	if (pairs_error(p->pairs))
		return export_failed(x, -ENOMEM, "out of memory");
	return export_unwritten(x, p->out.error);
}

/* Writes an instant with up to two numbers on the track of a process. Returns 0
 * or -ENOMEM. */
static int put_mark(struct perfetto *p, const struct trace_class *trace,
		    int64_t ns, const char *text, const char *const *names,
		    const uint64_t *numbers)
{
	struct track *track = track_of_process(p, trace);
	uint64_t name = perfetto_name(p, INTERNED_EVENT_NAME, text);
	uint64_t iids[2] = { 0 };
	size_t n, at;

	/* a new name is a packet of its own */
	for (n = 0; names[n]; n++) {
		iids[n] = perfetto_name(p, INTERNED_ANNOTATION_NAME, names[n]);
		if (!iids[n])
			return -ENOMEM;
	}
	if (!track || !name)
		return -ENOMEM;
	at = begin_event(p, TYPE_INSTANT, ns, track, name);
	for (size_t i = 0; i < n; i++) {
		size_t inner = protobuf_open(&p->packet,
					     TRACK_EVENT_ANNOTATION);

		protobuf_u64(&p->packet, VALUE_NAME_IID, iids[i]);
		protobuf_u64(&p->packet, VALUE_UNSIGNED, numbers[i]);
		protobuf_close(&p->packet, inner);
	}
	perfetto_packet_end(p, at);
	return 0;
}

/* Marks a loss on the track of the process. */
static int perfetto_loss(struct exporter *x, const struct trace_loss *loss)
{
	struct perfetto *p = x->own;
	static const char *const names[] = { "events", NULL };
	/* other tracers do not always say when */
	int64_t ns = loss->to == TIME_MIN ? p->last_ns : loss->to;

	if (!p->started)
		put_clocks(p, ns);
	return put_mark(p, loss->trace, ns, "events lost", names,
			&loss->events) ?
	       export_failed(x, -ENOMEM, "out of memory") : 0;
}

/* Frees the parts of a class. The names stay until the export is closed. */
static void perfetto_end(void *own)
{
	struct perfetto_class *class = own;

	table_class_free(class->table);
	free(class->columns);
	free(class->ends);
}

/* Ends the pairs that are still open, and tells the caller which events are no
 * slices for want of a thread, before the pairs go. Marks from when on the
 * events of each process are complete: the end of the last gap in the window.
 * An export without events has no marks. */
static int perfetto_close(struct exporter *x, bool keep)
{
	static const char *const names[] = {
		"begins left out", "ends left out", NULL,
	};
	struct perfetto *p = x->own;
	struct trace_class *const *traces;
	struct pair_kind *const *kinds;
	struct pairs_out out;
	int64_t from;
	size_t n;
	int ret;

	if (p->pairs && keep) {
		/* first, as it counts pairs that are still open */
		pairs_finish(p->pairs);
		n = pairs_kinds(p->pairs, &kinds);
		x->threadless = pairs_threadless(p->pairs);
		for (size_t i = 0; i < n && i < x->npairs; i++)
			if (kinds[i]->threadless)
				x->threadless_rule = x->pairs[i];
		n = reader_traces(x->reader, &traces);
		for (size_t i = 0; i < n && p->started; i++) {
			out = pairs_left_out(p->pairs, traces[i]);
			if (!gaps_end(&traces[i]->gaps, reader_begin(x->reader),
				      reader_end(x->reader), &from))
				continue;
			if (put_mark(p, traces[i], from, "events complete",
				     names, (const uint64_t[]){ out.begins,
								out.ends }))
				p->out.error = -ENOMEM;
		}
		if (x->paired)
			x->paired(p->pairs, x->priv);
	}
	if (p->pairs)
		pairs_free(p->pairs);
	ret = out_close(&p->out);
	tables_free(&p->tables);
	tracks_free(p);
	perfetto_names_free(p);
	if (p->packet.start)
		out_close(&p->packet);
	free(p);
	return export_unwritten(x, ret);
}

const struct export_format export_perfetto = {
	.name = "perfetto", .target = EXPORT_STREAM, .binary = true,
	.class_bytes = sizeof(struct perfetto_class), .open = perfetto_open,
	.begin = perfetto_begin, .end = perfetto_end, .put = perfetto_put,
	.loss = perfetto_loss, .close = perfetto_close,
};
