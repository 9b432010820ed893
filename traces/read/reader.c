/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of sources to the reader: traces, streams, and problems. Apart from
 * merge.c, so that sources and merge.c do not call each other in a circle.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Makes room for one more pointer: doubles the array at powers of two. */
static bool array_grow(void *array, size_t n)
{
	void **old = *(void ***)array;
	void **more;

	if (n & (n - 1))
		return true;
	more = realloc(old, (n ? 2 * n : 1) * sizeof(*more));
	if (!more)
		return false;
	*(void ***)array = more;
	return true;
}

int reader_add_trace(struct reader *reader, struct trace_class *trace)
{
	if (!array_grow(&reader->traces, reader->ntraces))
		return -ENOMEM;
	trace->number = reader->ntraces;
	reader->traces[reader->ntraces++] = trace;
	return 0;
}

int reader_add_stream(struct reader *reader, struct read_stream *stream)
{
	if (!array_grow(&reader->streams, reader->nstreams))
		return -ENOMEM;
	stream->reader = reader;
	stream->event.stream = stream;
	stream->base_ns = clock_base(&stream->event.trace->clock);
	reader->streams[reader->nstreams++] = stream;
	return 0;
}
