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
 * them, as if each event had the field; where processes share the trace, vpid
 * and procname, too. stream.c keeps the last record. Such a trace has no other
 * contexts, and readers see no event class of the record.
 */
static const struct field_class members[] = {
	{ .kind = FIELD_INTEGER, .bytes = sizeof(int32_t), .is_signed = true,
	  .base = 10, .name = "vpid" },
	{ .kind = FIELD_INTEGER, .bytes = sizeof(int32_t), .is_signed = true,
	  .base = 10, .name = "vtid" },
	{ .kind = FIELD_TEXT, .count = MEMBER_NAME_BYTES, .name = "procname" },
};

static const struct field_class writer_context = {
	.kind = FIELD_STRUCT,
	.members = &members[1],
	.nmembers = 1,
};

static const struct field_class shared_context = {
	.kind = FIELD_STRUCT,
	.members = members,
	.nmembers = ARRAY_SIZE(members),
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

/* Makes writer records the context of a trace's events, if it has records. */
static void writers_take(struct trace_class *trace)
{
	if (trace->foreign || trace->context || trace->nevents <= WRITER_ID ||
	    !trace->events[WRITER_ID] || !is_record(trace->events[WRITER_ID]))
		return;
	trace->writers = true;
	trace->context = trace->shared ? &shared_context : &writer_context;
	trace->events[WRITER_ID] = NULL;
}

int reader_add_trace(struct reader *reader, struct trace_class *trace)
{
	if (!array_grow(&reader->traces, reader->ntraces, sizeof(trace)))
		return -ENOMEM;
	if (!reader->calls->raw)
		writers_take(trace);
	trace->number = reader->ntraces;
	reader->traces[reader->ntraces++] = trace;
	return 0;
}

int reader_add_stream(struct reader *reader, struct read_stream *stream)
{
	if (!array_grow(&reader->streams, reader->nstreams, sizeof(stream)))
		return -ENOMEM;
	stream->reader = reader;
	stream->event.stream = stream;
	stream->base_ns = clock_base(&stream->event.trace->clock);
	reader->streams[reader->nstreams++] = stream;
	return 0;
}
