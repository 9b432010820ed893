/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The packets that remove all definitions, define trace state variables, switch
 * tracepoints and give their source texts.
 *
 * See defined.h. define-point.c defines the tracepoints.
 */
#include "gdbstub/tracing/defined.h"

#include "base/base.h"
#include "base/text.h"
#include "gdbstub/tracing/run.h"
#include "gdbstub/wire/connection.h"

int trace_answer(struct connection *c, const char *why)
{
	if (!why)
		return serve_ok(c, NULL);
	connection_refuse(c, why);
	return 0;
}

int serve_trace_init(struct connection *c, const char *p)
{
	struct trace *t = trace_get();

	if (!t)
		return trace_answer(c, trace_no_memory);
	run_forget();
	trace_clear(t);
	return trace_answer(c, NULL);
}

/* NUMBER:VALUE:BUILTIN:NAME */
int serve_define_variable(struct connection *c, const char *p)
{
	struct trace *t = trace_get();
	struct trace_variable variable = { .defined = 1 };
	uint64_t number, value, builtin;

	if (!t)
		return trace_answer(c, trace_no_memory);
	if (!packet_read_number(&p, &number) || !packet_read_char(&p, ':') ||
	    !packet_read_number(&p, &value) || !packet_read_char(&p, ':') ||
	    !packet_read_number(&p, &builtin) || !packet_read_char(&p, ':'))
		return trace_answer(c, trace_malformed);
	if (!packet_read_text(&p, variable.name, sizeof(variable.name)) ||
	    !variable.name[0])
		return trace_answer(c, "a variable's name has 1 to 63 "
				       "characters");
	if (*p)
		return trace_answer(c, trace_malformed);
	if (number >= COLLECT_VARIABLES_MAX)
		return trace_answer(c, "too many trace state variables");
	variable.initial = (int64_t)value;
	variable.builtin = builtin != 0;
	if ((number == COLLECT_TIMESTAMP) !=
	    (builtin && text_equal(variable.name, "trace_timestamp")))
		return trace_answer(c, "variable 1, and no other, is the "
				       "built-in $trace_timestamp");
	if (number == COLLECT_TIMESTAMP)
		return trace_answer(c, NULL);
	t->variables[number] = variable;
	return trace_answer(c, builtin ?
			    "there is no such built-in variable" : NULL);
}

/* QTEnable and QTDisable, in a run and without one. */
static int point_switch(struct connection *c, const char *p, uint32_t on)
{
	struct trace *t = trace_get();
	struct trace_point *point;
	uint64_t number, address;

	if (!t)
		return trace_answer(c, trace_no_memory);
	if (!trace_read_name(&p, &number, &address) || *p)
		return trace_answer(c, trace_malformed);
	point = trace_find(t, number, address);
	if (!point || !point->complete)
		return trace_answer(c, "there is no such tracepoint");
	if (run_enable(point, (int)on))
		return trace_answer(c, "the run cannot switch this tracepoint");
	point->enabled = on;
	return trace_answer(c, NULL);
}

int serve_point_enable(struct connection *c, const char *p)
{
	return point_switch(c, p, 1);
}

int serve_point_disable(struct connection *c, const char *p)
{
	return point_switch(c, p, 0);
}

/* Adds a new text. Returns NULL when it is too long, or when there is no room.
 */
static struct trace_source *source_begin(struct trace *t,
					 struct trace_point *point,
					 const char *kind, uint64_t length)
{
	struct trace_source **end = &point->sources;
	struct trace_source *source;
	uint32_t n = 0;

	for (; *end; end = &(*end)->next)
		n++;
	if (length > TRACE_SOURCE_BYTES || n == TRACE_SOURCES_MAX)
		return NULL;
	source = trace_take(t, (uint32_t)(sizeof(*source) + length));
	if (!source)
		return NULL;
	source->kind = kind;
	source->length = (uint32_t)length;
	source->text = (char *)(source + 1);
	*end = source;
	return source;
}

/*
 * NUMBER:ADDRESS:KIND:START:LENGTH:HEX. A text that cannot be kept is accepted
 * too, because only a later gdb would read it. At an error, gdb would warn the
 * user once for each text.
 */
int serve_define_source(struct connection *c, const char *p)
{
	static const char kinds[][5] = { "at", "cond", "cmd" };
	struct trace *t = trace_get();
	struct trace_source *source;
	struct trace_point *point;
	const char *kind = NULL;
	const char *end;
	uint64_t number, address, start, length;
	uint8_t byte;

	if (!t)
		return trace_answer(c, trace_no_memory);
	if (!trace_read_name(&p, &number, &address) ||
	    !packet_read_char(&p, ':'))
		return trace_answer(c, trace_malformed);
	for (uint32_t i = 0; i < ARRAY_SIZE(kinds) && !kind; i++) {
		end = text_after(p, kinds[i]);
		if (end && *end == ':')
			kind = kinds[i];
	}
	while (*p && *p != ':')
		p++;
	if (!packet_read_char(&p, ':') || !packet_read_number(&p, &start) ||
	    !packet_read_char(&p, ':') || !packet_read_number(&p, &length) ||
	    !packet_read_char(&p, ':'))
		return trace_answer(c, trace_malformed);
	end = p;
	while (packet_read_hex(&end, &byte, 1))
		;
	if (*end)
		return trace_answer(c, trace_malformed);
	point = kind ? trace_find(t, number, address) : NULL;
	if (!point)
		return serve_ok(c, p);
	if (!start)
		source = source_begin(t, point, kind, length);
	else	/* the text of which the first `start` bytes have come */
		for (source = point->sources; source; source = source->next)
			if (source->kind == kind && source->used == start &&
			    source->length == length)
				break;
	while (source && source->used < source->length &&
	       packet_read_hex(&p, &byte, 1))
		source->text[source->used++] = (char)byte;
	return serve_ok(c, p);
}
