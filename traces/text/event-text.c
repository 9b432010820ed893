/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events as lines of text. The parts that all events of a class have are made
 * once, and kept with the class: writing a line is to copy them, and to write
 * the numbers between them.
 *
 * Invariant: names of a traced program are made printable before they become a
 * part of such a text; values are escaped as they are written.
 */
#include "traces/text/event-text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/text/characters.h"
#include "traces/text/number.h"
#include "traces/text/private.h"

#define NS_PER_S	1000000000ll

/* A member of a class: the text before the value, in the colours of the
 * output. */
struct member_text {
	char *before;			/* ", NAME = " */
	size_t bytes;
	bool left_out;
};

/* The texts that all events of a class have. */
struct event_head {
	struct event_head *next;
	char *text;			/* up to the number of the CPU */
	size_t bytes;
	struct member_text *context;
	struct member_text *fields;
};

void event_text_open(struct event_text *text)
{
	text->second = INT64_MIN;
}

/* Frees an array of make_members(); NULL is none. */
static void free_members(struct member_text *members)
{
	for (struct member_text *m = members; m && m->before; m++)
		free(m->before);
	free(members);
}

void event_text_free(struct event_text *text)
{
	while (text->heads) {
		struct event_head *next = text->heads->next;

		free_members(text->heads->context);
		free_members(text->heads->fields);
		free(text->heads->text);
		free(text->heads);
		text->heads = next;
	}
}

/* Returns an array that ends with a member without text, or NULL without
 * memory. The caller frees it. */
static struct member_text *make_members(const struct event_text *text,
					const struct field_class *class)
{
	struct member_text *members = calloc(class->nmembers + 1,
					     sizeof(*members));
	bool first = true;

	for (size_t i = 0; members && i < class->nmembers; i++) {
		struct member_text *m = &members[i];
		const char *name = class->members[i].name;
		int n;

		m->left_out = text->only;
		for (size_t k = 0; k < text->nonly && m->left_out; k++)
			m->left_out = strcmp(text->only[k], name);
		/* the first that is written has no comma before it */
		n = asprintf(&m->before, "%s%s%s%s = ", first ? " " : ", ",
			     text->color ? COLOR_CYAN : "", name,
			     text->color ? COLOR_NONE : "");
		if (n < 0) {
			m->before = NULL;
			free_members(members);
			return NULL;
		}
		m->bytes = (size_t)n;
		first &= m->left_out;
	}
	return members;
}

/*
 * Makes the parts of a class that all events share, and keeps them with the
 * class: the text from the host to the number of the CPU, or of another tracer
 * to the first structure. Returns NULL without memory; the next event of the
 * class tries again.
 */
static struct event_head *make_head(struct event_text *text,
				    const struct trace_event *event)
{
	struct event_head *head = calloc(1, sizeof(*head));
	const struct trace_class *trace = event->trace;
	bool unknown = !strcmp(event->class->name, "<unknown>");
	const char *bold = text->color ? COLOR_BOLD : "";
	const char *none = text->color ? COLOR_NONE : "";
	const char *kind = !text->color ? "" : unknown && trace->foreign ?
			   COLOR_RED : COLOR_MAGENTA;
	char pid[32] = "", *name, *prefix;
	int n = -1;

	if (!head)
		return NULL;
	/* event_text_free() frees it, whatever fails below */
	head->next = text->heads;
	text->heads = head;
	name = strdup(event->class->name);
	if (trace->foreign)
		prefix = strdup(trace->prefix);
	else if (asprintf(&prefix, "%s:%s", trace->hostname,
			  trace->procname) < 0)
		prefix = NULL;
	if (trace->vpid >= 0)
		snprintf(pid, sizeof(pid), ":(%lld)", (long long)trace->vpid);
	if (name && prefix) {
		printable(name);
		printable(prefix);
		if (trace->foreign)
			n = asprintf(&head->text, "%s%s%s%s%s: ", prefix, bold,
				     kind, name, none);
		else
			n = asprintf(&head->text, "%s%s %s%s%s%s: { %scpu_id%s "
				     "= %s", prefix, pid, bold, kind, name,
				     none, text->color ? COLOR_CYAN : "", none,
				     bold);
	}
	free(name);
	free(prefix);
	if (n < 0)
		head->text = NULL;
	head->fields = make_members(text, event->class->fields);
	if (trace->context)
		head->context = make_members(text, trace->context);
	if (!head->text || !head->fields || (trace->context && !head->context))
		return NULL;
	head->bytes = (size_t)n;
	((struct event_class *)event->class)->priv = head;
	return head;
}

/* Writes the time at p, at most 48 bytes, and returns the end. The text of a
 * second is made once, and kept for the events of the same second. A time
 * before 1970 is a number of seconds. */
static char *put_time(struct event_text *text, char *p, int64_t ns)
{
	int64_t second = ns / NS_PER_S, rest = ns % NS_PER_S;
	time_t t = (time_t)second;
	struct tm tm;
	size_t n;

	if (ns < 0) {
		p += snprintf(p, 40, "-%lld.%09lld", (long long)-second,
			      (long long)-rest);
		return p;
	}
	if (second != text->second) {
		text->second = second;
		if (!(text->utc ? gmtime_r(&t, &tm) : localtime_r(&t, &tm)))
			n = (size_t)snprintf(text->clock, sizeof(text->clock),
					     "%lld", (long long)second);
		else
			n = strftime(text->clock, sizeof(text->clock),
				     text->dates ? "%Y-%m-%d %H:%M:%S" :
						   "%H:%M:%S", &tm);
		text->clock[n++] = '.';
		text->clock_bytes = n;
	}
	memcpy(p, text->clock, sizeof(text->clock));
	return number_digits(p + text->clock_bytes, (uint32_t)rest, 9);
}

void event_text_time(struct event_text *text, int64_t ns, char *p)
{
	*put_time(text, p, ns) = '\0';
}

/* Writes the time in brackets, and the time since the event before, which is
 * negative where a follower gets an event late. */
static void put_stamp(struct event_text *text, int64_t ns)
{
	bool late = text->any && ns < text->last;
	uint64_t delta = late ? (uint64_t)text->last - (uint64_t)ns :
				(uint64_t)ns - (uint64_t)text->last;
	char *p;

	out_room(text->out, 256);
	p = text->out->p;
	*p++ = '[';
	if (text->color)
		p = mempcpy(p, COLOR_BOLD COLOR_YELLOW, 9);
	p = put_time(text, p, ns);
	if (text->color)
		p = mempcpy(p, COLOR_NONE, 4);
	p = mempcpy(p, "] ", 2);
	if (!text->no_delta) {
		p = mempcpy(p, late ? "(-" : "(+", 2);
		if (text->any) {
			p = number_u64(p, delta / NS_PER_S);
			*p++ = '.';
			p = number_digits(p, (uint32_t)(delta % NS_PER_S), 9);
		} else {
			p = mempcpy(p, "?.?????????", 11);
		}
		p = mempcpy(p, ") ", 2);
	}
	text->last = ns;
	text->any = true;
	text->out->p = p;
}

/* Writes the members that are chosen, and steps over the others. Members that
 * the event ends before are left out. `member` has as many elements as the
 * class has members. */
static void put_struct(struct event_text *text, const struct field_class *class,
		       const struct member_text *member, const uint8_t *at,
		       const uint8_t *end)
{
	struct out *out = text->out;

	out_char(out, '{');
	for (size_t i = 0; i < class->nmembers; i++, member++) {
		int64_t bytes = field_bytes(&class->members[i], at, end);

		if (bytes < 0)
			break;
		if (!member->left_out) {
			out_bytes(out, member->before, member->bytes);
			field_text_put(out, &class->members[i], at, at + bytes,
				       text->color);
		}
		at += bytes;
	}
	out_bytes(out, " }", 2);
}

/* Writes the structures of another tracer's event, those that there are, in the
 * order of babeltrace2, which is not that of the bytes. */
static void put_foreign(struct event_text *text,
			const struct trace_event *event,
			const struct event_head *head)
{
	struct out *out = text->out;
	const char *between = "";

	if (event->trace->packet) {
		field_text_put(out, event->trace->packet, event->packet,
			       event->specific, text->color);
		between = ", ";
	}
	if (head->context) {
		out_text(out, between);
		put_struct(text, event->trace->context, head->context,
			   event->context, event->fields);
		between = ", ";
	}
	if (event->class->specific) {
		out_text(out, between);
		field_text_put(out, event->class->specific, event->specific,
			       event->context, text->color);
		between = ", ";
	}
	if (!event->class->bare) {
		out_text(out, between);
		put_struct(text, event->class->fields, head->fields,
			   event->fields, event->end);
	}
	out_char(out, '\n');
}

void event_text_put(struct event_text *text, const struct trace_event *event)
{
	const struct event_head *head = event->class->priv;
	struct out *out = text->out;

	/* the class is new to this text */
	if (!head)
		head = make_head(text, event);
	if (!head) {
		out->error = -ENOMEM;
		return;
	}
	if (!event->trace->no_clock)
		put_stamp(text, event->ns);
	out_bytes(out, head->text, head->bytes);
	if (event->trace->foreign) {
		put_foreign(text, event, head);
		return;
	}
	out_room(out, 64);
	out->p = number_u64(out->p, event->cpu);
	put_color(out, text->color, COLOR_NONE);
	out_bytes(out, " }, ", 4);
	if (head->context) {
		put_struct(text, event->trace->context, head->context,
			   event->context, event->fields);
		out_bytes(out, ", ", 2);
	}
	if (text->messages && message_text_is(event->class))
		message_text_put(out, event);
	else
		put_struct(text, event->class->fields, head->fields,
			   event->fields, event->end);
	out_char(out, '\n');
}
