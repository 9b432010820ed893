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

int reader_add_trace(struct reader *reader, struct trace_class *trace)
{
	if (!array_grow(&reader->traces, reader->ntraces, sizeof(trace)))
		return -ENOMEM;
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
