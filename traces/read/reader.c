/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of sources to the reader: traces, streams, and problems. Apart from
 * merge.c, so that sources and merge.c do not call each other in a circle.
 */
#include <stdarg.h>
#include <stdio.h>

#include "traces/array.h"
#include "traces/read/source.h"

void reader_problem(struct reader *reader, const char *where,
		    const char *format, ...)
{
	char fact[512];
	va_list ap;

	if (reader->quiet)
		return;
	reader->problems++;
	va_start(ap, format);
	vsnprintf(fact, sizeof(fact), format, ap);
	va_end(ap);
	reader->calls->problem(where, fact, reader->calls->priv);
}

/*
 * Writer records (docs/writers.md) are the context vtid of the events behind
 * them, as if each event had the field. stream.c keeps the last record. Such a
 * trace has no other contexts, and readers see no event class of the record.
 */
static const struct field_class vtid = {
	.kind = FIELD_INTEGER, .bytes = sizeof(int32_t), .is_signed = true,
	.base = 10, .name = "vtid",
};

static const struct field_class writer_context = {
	.kind = FIELD_STRUCT,
	.members = &vtid,
	.nmembers = 1,
};

/* Returns whether a class is that of writer records: by the name, and by the
 * fields of struct writer_record. */
static bool is_record(const struct event_class *class)
{
	static const char *const names[] = { "vpid", "vtid", "process" };
	const struct field_class *fields = class->fields;
	bool same = !strcmp(class->name, WRITER_CHANNEL ":" WRITER_NAME) &&
		    fields->nmembers == ARRAY_SIZE(names) && class->fixed &&
		    class->bytes == sizeof(struct writer_record);

	for (size_t i = 0; same && i < ARRAY_SIZE(names); i++)
		same = fields->members[i].kind == FIELD_INTEGER &&
		       fields->members[i].bytes == sizeof(uint32_t) &&
		       !strcmp(fields->members[i].name, names[i]);
	return same;
}

static int trace_append(struct reader *reader, struct trace_class *trace)
{
	if (!array_grow(&reader->traces, reader->ntraces, sizeof(trace)))
		return -ENOMEM;
	trace->number = reader->ntraces;
	reader->traces[reader->ntraces++] = trace;
	return 0;
}

int member_learn(struct trace_class *trace)
{
	const struct trace_class *from = trace->carrier;
	struct event_class **events = class_memory_take(&trace->memory,
		(from->nevents + 1) * sizeof(*events));

	if (!events)
		return -ENOMEM;
	memcpy(events, trace->events, trace->nevents * sizeof(*events));
	trace->events = events;
	trace->nevents = from->nevents;
	trace->nclasses = from->nclasses;
	for (uint32_t id = 0; id < from->nevents; id++) {
		if (events[id] || !from->events[id])
			continue;
		events[id] = from->events[id];
		if (!events[id]->shared && !schema_own_class(trace, id))
			return -ENOMEM;
		if (!events[id]->shared) {
			events[id]->verdict = NULL;
			events[id]->priv = NULL;
		}
	}
	return 0;
}

int reader_add_member(struct reader *reader, struct trace_class *of,
		      struct trace_member *member)
{
	char name[MEMBER_NAME_BYTES + 1] = "", path[160];
	struct trace_class *trace = calloc(1, sizeof(*trace));

	if (!trace)
		return -ENOMEM;
	memcpy(name, member->name, MEMBER_NAME_BYTES);
	snprintf(path, sizeof(path), "%s of process %u", of->path, member->pid);
	trace->path = of->in_rings ? class_memory_text(&trace->memory, path) :
				     of->path;
	trace->hostname = of->hostname;
	trace->domain = of->domain;
	trace->session = of->session;
	trace->vpid = member->pid;
	trace->starttime = member->starttime;
	trace->clock = of->clock;
	trace->carrier = of;
	memcpy(trace->uuid, of->uuid, sizeof(trace->uuid));
	trace->procname = class_memory_text(&trace->memory, name);
	if (!trace->path || !trace->procname || schema_use(of->schema, trace))
		goto fail;
	trace->writers = true;
	trace->context = of->context;
	trace->events[cursor_writer_id(trace->kind)] = NULL;
	if (member_learn(trace) || trace_append(reader, trace))
		goto fail;
	member->trace = trace;
	return 0;
fail:
	trace_class_free(trace);
	free(trace);
	return -ENOMEM;
}

void reader_only(struct reader *reader, uint32_t pid, uint64_t starttime)
{
	reader->only_pid = pid;
	reader->only_starttime = starttime;
}

bool member_wanted(const struct reader *reader,
		   const struct trace_member *member)
{
	return !reader->only_pid || (member->pid == reader->only_pid &&
				     (!member->starttime ||
				      member->starttime ==
					      reader->only_starttime));
}

int reader_add_trace(struct reader *reader, struct trace_class *trace)
{
	int ret = trace_append(reader, trace);
	uint32_t id;

	if (ret || reader->calls->raw)
		return ret;
	id = cursor_writer_id(trace->kind);
	if (!trace->foreign && !trace->context && trace->nevents > id &&
	    trace->events[id] && is_record(trace->events[id])) {
		trace->writers = true;
		trace->context = &writer_context;
		trace->events[id] = NULL;
	}
	/* those that the metadata names have written */
	for (size_t i = 0; trace->writers && i < trace->nmembers && !ret; i++)
		if (member_wanted(reader, &trace->members[i]))
			ret = reader_add_member(reader, trace,
						&trace->members[i]);
	if (ret)
		reader->ntraces--;
	return ret;
}

int reader_add_stream(struct reader *reader, struct read_stream *stream)
{
	if (!array_grow(&reader->streams, reader->nstreams, sizeof(stream)))
		return -ENOMEM;
	stream->reader = reader;
	stream->event.stream = stream;
	stream->trace = (struct trace_class *)stream->event.trace;
	stream->base_ns = clock_base(&stream->trace->clock);
	reader->streams[reader->nstreams++] = stream;
	return 0;
}
