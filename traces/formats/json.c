/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events as JSON, one object a line:
 *
 *	{"ns":1795300111123456789,"time":"2026-11-22T09:48:31.123456789Z",
 *	 "event":"app:request","host":"h","process":"server","pid":12,
 *	 "cpu_id":0,"context":{"vtid":12},"fields":{"id":1,"url":"/x"}}
 *
 * The parts that all events of a class have are made once.
 *
 * Invariant: a line is one valid object, whatever texts a program has: each
 * text goes through json_put_string().
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "traces/formats/json-value-private.h"
#include "traces/formats/private.h"
#include "traces/text/event-text.h"
#include "traces/text/number.h"

#define NS_PER_S	1000000000ll
#define STAMP_BYTES	100

/* A member of an object: the name is in the text of all. */
struct member {
	size_t before;			/* where ,"NAME": is in the text */
	size_t bytes;
	const struct field_class *class;
	field_put *put;
	uint32_t skip;			/* the length in front of a sequence */
};

/* The members of an object that all events of a class have. */
struct members {
	struct member *member;
	char *text;
	size_t n;
};

/* The parts that all events of a class have. */
struct json_class {
	char *head;			/* from `event` to `cpu_id` */
	size_t bytes;
	struct members context;
	struct members fields;
};

/* The export. The date is made once a second. */
struct json {
	struct out out;
	struct out message;		/* opened by the first one */
	int64_t second;			/* that `date` shows */
	char date[40];
	size_t date_bytes;
};

/* Opens the output on x->fd, which the caller closes. */
static int json_open(struct exporter *x)
{
	struct json *json = calloc(1, sizeof(*json));

	if (!json || out_open(&json->out, x->fd)) {
		free(json);
		return export_failed(x, -ENOMEM, "out of memory");
	}
	json->second = INT64_MIN;
	x->own = json;
	return 0;
}

/* Makes a text of a growing buffer, and empties the buffer. The caller frees
 * the text; NULL: no memory. */
static char *take_text(struct out *out)
{
	char *text;

	out_char(out, '\0');
	text = out->error ? NULL : strdup(out->start);
	out_rewind(out);
	return text;
}

/* Makes `"NAME":` of each member that is shown. The length of a sequence is
 * not: the text of its elements has it. Returns 0 or -ENOMEM; free_members()
 * frees what there is in any case. */
static int make_members(struct members *members, struct out *out,
			const struct field_class *class)
{
	uint32_t skip = 0;

	members->member = calloc(class->nmembers + 1, sizeof(struct member));
	if (!members->member)
		return -ENOMEM;
	for (size_t i = 0; i < class->nmembers; i++) {
		const struct field_class *field = &class->members[i];
		struct member *member = &members->member[members->n];

		if (field->is_length) {
			skip = field->bytes;
			continue;
		}
		member->before = (size_t)(out->p - out->start);
		if (members->n)
			out_char(out, ',');
		json_put_string(out, field->name, strlen(field->name));
		out_char(out, ':');
		member->bytes = (size_t)(out->p - out->start) - member->before;
		member->class = field;
		member->put = json_put_of(field);
		member->skip = skip;
		skip = 0;
		members->n++;
	}
	members->text = take_text(out);
	return members->text ? 0 : -ENOMEM;
}

/* Frees the members, as far as they were made. */
static void free_members(struct members *members)
{
	free(members->text);
	free(members->member);
}

/* Writes a text behind the name of its member. */
static void put_pair(struct out *out, const char *before, const char *text)
{
	out_text(out, before);
	json_put_string(out, text, strlen(text));
}

/* Makes the text from `event` to `cpu_id`, and the names of all members. */
static int json_begin(struct exporter *x, const struct trace_event *event,
		      void *own)
{
	const struct trace_class *trace = event->trace;
	struct json_class *class = own;
	struct out out;
	int ret;

	if (out_open(&out, -1))
		return export_failed(x, -ENOMEM, "out of memory");
	put_pair(&out, ",\"event\":", event->class->name);
	put_pair(&out, ",\"host\":", trace->hostname);
	put_pair(&out, ",\"process\":", trace->procname);
	if (trace->vpid >= 0) {
		out_text(&out, ",\"pid\":");
		out_room(&out, NUMBER_S64_BYTES);
		out.p = number_s64(out.p, trace->vpid);
	}
	if (!trace->no_cpu)
		out_text(&out, ",\"cpu_id\":");
	class->bytes = (size_t)(out.p - out.start);
	class->head = take_text(&out);
	ret = class->head ? 0 : -ENOMEM;
	if (!ret)
		ret = make_members(&class->fields, &out, event->class->fields);
	if (!ret && trace->context)
		ret = make_members(&class->context, &out, trace->context);
	out_close(&out);
	return ret ? export_failed(x, ret, "out of memory") : 0;
}

/* Frees the parts of a class, as far as they were made. */
static void json_end(void *own)
{
	struct json_class *class = own;

	free_members(&class->context);
	free_members(&class->fields);
	free(class->head);
}

/* Writes both forms of the time. The date is made once a second. */
static void put_stamp(struct json *json, int64_t ns)
{
	int64_t second = ns / NS_PER_S - (ns % NS_PER_S < 0);
	time_t t = (time_t)second;
	struct tm tm;
	char *p;

	if (second != json->second) {
		json->second = second;
		json->date_bytes = gmtime_r(&t, &tm) ?
			strftime(json->date, sizeof(json->date),
				 ",\"time\":\"%Y-%m-%dT%H:%M:%S.", &tm) : 0;
	}
	out_room(&json->out, STAMP_BYTES);
	p = json->out.p;
	memcpy(p, "{\"ns\":", 6);
	p = number_s64(p + 6, ns);
	memcpy(p, json->date, sizeof(json->date));
	p = number_digits(p + json->date_bytes,
			  (uint32_t)(ns - second * NS_PER_S), 9);
	memcpy(p, "Z\"", 2);
	json->out.p = p + 2;
}

/* Writes the values behind their names. The bytes of all of them were checked
 * by the reader. */
static void put_members(struct out *out, const struct members *members,
			const uint8_t *at)
{
	const struct member *m = members->member;

	for (size_t i = 0; i < members->n; i++, m++) {
		out_bytes(out, members->text + m->before, m->bytes);
		at = m->put(out, m->class, at + m->skip);
	}
}

/* Writes a line. The room of 64 bytes is for the CPU, which is the only part of
 * the head that differs from event to event. */
static int json_put(struct exporter *x, const struct trace_event *event,
		    void *own)
{
	struct json *json = x->own;
	const struct json_class *class = own;
	struct out *message = &json->message;
	struct out *out = &json->out;

	put_stamp(json, event->ns);
	out_bytes(out, class->head, class->bytes);
	out_room(out, 64);
	if (!event->trace->no_cpu)
		out->p = number_u64(out->p, event->cpu);
	if (event->class->specific) {
		out_text(out, ",\"event_context\":");
		json_value(out, event->class->specific, event->specific);
	}
	if (event->trace->context) {
		out_bytes(out, ",\"context\":{", 12);
		put_members(out, &class->context, event->context);
		out_char(out, '}');
	}
	out_bytes(out, ",\"fields\":{", 11);
	put_members(out, &class->fields, event->fields);
	out_char(out, '}');
	if (!message_text_is(event->class)) {
		;
	} else if (!message->start && out_open(message, -1)) {
		out->error = -ENOMEM;
	} else {
		/* it is made first: JSON escapes the whole of it */
		out_rewind(message);
		message_text_put(message, event);
		out_text(out, ",\"message\":");
		json_put_string(out, message->start,
				(size_t)(message->p - message->start));
		if (message->error)
			out->error = message->error;
	}
	out_bytes(out, "}\n", 2);
	return export_unwritten(x, out->error);
}

/* Flushes the output. The file is whole after any event, so `keep` does not
 * count. */
static int json_close(struct exporter *x, bool keep)
{
	struct json *json = x->own;
	int ret = out_close(&json->out);

	if (json->message.start)
		out_close(&json->message);
	free(json);
	return export_unwritten(x, ret);
}

const struct export_format export_json = {
	.name = "json", .target = EXPORT_STREAM, .open = json_open,
	.class_bytes = sizeof(struct json_class), .begin = json_begin,
	.end = json_end, .put = json_put, .close = json_close,
};
