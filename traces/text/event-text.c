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
#define NONE		SIZE_MAX	/* no member */

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
	char *process;			/* short: up to the thread's number */
	size_t process_bytes;
	char *text;			/* up to the number of the CPU; short:
					 * behind the thread's */
	size_t bytes;
	struct member_text *context;
	struct member_text *specific;	/* short: of another tracer */
	struct member_text *fields;
	size_t thread;			/* short: the context's member that has
					 * the thread; none: as many as there
					 * are members */
	bool cpu;			/* short: it was asked for */
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
		free_members(text->heads->specific);
		free_members(text->heads->fields);
		free(text->heads->process);
		free(text->heads->text);
		free(text->heads);
		text->heads = next;
	}
}

/* Returns an array that ends with a member without text, or NULL without
 * memory. The caller frees it. The member `without` is left out. *first tells
 * that nothing is written in front, so there is no comma. */
static struct member_text *make_members(const struct event_text *text,
					const struct field_class *class,
					size_t without, bool *first)
{
	struct member_text *members = calloc(class->nmembers + 1,
					     sizeof(*members));

	for (size_t i = 0; members && i < class->nmembers; i++) {
		struct member_text *m = &members[i];
		const char *name = class->members[i].name;
		int n;

		m->left_out = text->only;
		for (size_t k = 0; k < text->nonly && m->left_out; k++)
			m->left_out = strcmp(text->only[k], name);
		m->left_out |= i == without || (text->form != EVENT_RAW &&
						class->members[i].is_length);
		n = asprintf(&m->before, "%s%s%s%s = ", *first ? " " : ", ",
			     text->color ? COLOR_CYAN : "", name,
			     text->color ? COLOR_NONE : "");
		if (n < 0) {
			m->before = NULL;
			free_members(members);
			return NULL;
		}
		m->bytes = (size_t)n;
		*first &= m->left_out;
	}
	return members;
}

/* Makes the texts of all members of the class. Returns false without memory;
 * then some may be made. */
static bool make_structs(const struct event_text *text, struct event_head *head,
			 const struct trace_event *event)
{
	const struct field_class *context = event->trace->context;
	const struct field_class *specific = event->class->specific;
	bool first = true, is_short = text->form == EVENT_SHORT;

	for (size_t k = 0; k < text->nonly && is_short; k++)
		head->cpu |= !strcmp(text->only[k], "cpu_id");
	first = !head->cpu;
	if (context) {
		/* the thread stands before the name */
		head->thread = is_short ? 0 : context->nmembers;
		while (head->thread < context->nmembers &&
		       (context->members[head->thread].kind != FIELD_INTEGER ||
			(strcmp(context->members[head->thread].name, "vtid") &&
			 strcmp(context->members[head->thread].name, "tid"))))
			head->thread++;
	}
	if (context) {
		head->context = make_members(text, context, head->thread,
					     &first);
		if (!head->context)
			return false;
	}
	first |= !is_short;
	if (specific && is_short) {
		head->specific = make_members(text, specific, NONE, &first);
		if (!head->specific)
			return false;
	}
	head->fields = make_members(text, event->class->fields, NONE, &first);
	return head->fields;
}

/* Makes the text from the host to the number of the CPU, or of another tracer
 * to the first structure, of names that are printable. Returns false without
 * memory. */
static bool make_text(const struct event_text *text, struct event_head *head,
		      const struct trace_class *trace, const char *kind,
		      const char *prefix, const char *name)
{
	const char *bold = text->color ? COLOR_BOLD : "";
	const char *none = text->color ? COLOR_NONE : "";
	const char *cyan = text->color ? COLOR_CYAN : "";
	char pid[32] = "";
	int n;

	if (trace->vpid >= 0)
		snprintf(pid, sizeof(pid), ":(%lld)", (long long)trace->vpid);
	if (trace->foreign)
		n = asprintf(&head->text, "%s%s%s%s%s: ", prefix, bold, kind,
			     name, none);
	else
		n = asprintf(&head->text, "%s%s %s%s%s%s: { %scpu_id%s = %s",
			     prefix, pid, bold, kind, name, none, cyan, none,
			     bold);
	if (n < 0)
		head->text = NULL;
	head->bytes = (size_t)n;
	return head->text;
}

/* Does so in the short form: makes the texts around the thread's number. */
static bool make_short(const struct event_text *text, struct event_head *head,
		       const char *kind, const char *process, const char *name)
{
	const char *none = text->color ? COLOR_NONE : "";
	int n, behind;

	n = asprintf(&head->process, "%s%s", process, *process ? "/" : "");
	if (n < 0)
		head->process = NULL;
	behind = asprintf(&head->text, " %s%s%s%s%s%s%s",
			  text->color ? COLOR_BOLD : "", kind, name, none,
			  !head->cpu ? "" : text->color ? " " COLOR_CYAN : " ",
			  head->cpu ? "cpu_id" : "",
			  !head->cpu ? "" : text->color ?
				COLOR_NONE " = " COLOR_BOLD : " = ");
	if (behind < 0)
		head->text = NULL;
	head->process_bytes = (size_t)n;
	head->bytes = (size_t)behind;
	return head->process && head->text;
}

/*
 * Makes the parts of a class that all events share, and keeps them with the
 * class. Returns NULL without memory; the next event of the class tries again.
 */
static struct event_head *make_head(struct event_text *text,
				    const struct trace_event *event)
{
	struct event_head *head = calloc(1, sizeof(*head));
	const struct trace_class *trace = event->trace;
	bool unknown = !strcmp(event->class->name, "<unknown>");
	const char *kind = !text->color ? "" : unknown && trace->foreign ?
			   COLOR_RED : COLOR_MAGENTA;
	char *name, *prefix;
	bool made;

	if (!head)
		return NULL;
	/* event_text_free() frees it, whatever fails below */
	head->next = text->heads;
	text->heads = head;
	made = make_structs(text, head, event);
	name = strdup(event->class->name);
	/* a function's symbol, as the trace has it */
	if (text->form == EVENT_RAW && event->class->id &&
	    !strncmp(event->class->id, "fn/", 3)) {
		free(name);
		name = strdup(event->class->id);
		if (name)
			name[2] = ':';
	}
	if (text->form == EVENT_SHORT)
		prefix = strdup(text->named ? trace->procname : "");
	else if (trace->foreign)
		prefix = strdup(trace->prefix);
	else if (trace->shared)
		prefix = strdup(trace->hostname);
	else if (asprintf(&prefix, "%s:%s", trace->hostname,
			  trace->procname) < 0)
		prefix = NULL;
	made = made && name && prefix;
	if (made) {
		printable(name);
		printable(prefix);
		made = text->form == EVENT_SHORT ?
		       make_short(text, head, kind, prefix, name) :
		       make_text(text, head, trace, kind, prefix, name);
	}
	free(name);
	free(prefix);
	if (!made)
		return NULL;
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

/* Writes the time since the event before at p, at most 32 bytes, and returns
 * the end. It is negative where a follower gets an event late. */
static char *put_delta(struct event_text *text, char *p, int64_t ns)
{
	bool late = text->any && ns < text->last;
	uint64_t delta = late ? (uint64_t)text->last - (uint64_t)ns :
				(uint64_t)ns - (uint64_t)text->last;

	*p++ = late ? '-' : '+';
	if (!text->any)
		return mempcpy(p, "?.?????????", 11);
	p = number_u64(p, delta / NS_PER_S);
	*p++ = '.';
	return number_digits(p, (uint32_t)(delta % NS_PER_S), 9);
}

/* Writes the time in brackets, and the time since the event before; or, in the
 * short form, one of the two. */
static void put_stamp(struct event_text *text, int64_t ns)
{
	bool is_short = text->form == EVENT_SHORT;
	char *p;

	out_room(text->out, 256);
	p = text->out->p;
	if (!is_short)
		*p++ = '[';
	if (text->color)
		p = mempcpy(p, COLOR_BOLD COLOR_YELLOW, 9);
	p = is_short && text->delta ? put_delta(text, p, ns) :
				      put_time(text, p, ns);
	if (text->color)
		p = mempcpy(p, COLOR_NONE, 4);
	if (!is_short)
		*p++ = ']';
	*p++ = ' ';
	if (!is_short && !text->no_delta) {
		*p++ = '(';
		p = put_delta(text, p, ns);
		p = mempcpy(p, ") ", 2);
	}
	text->last = ns;
	text->any = true;
	text->out->p = p;
}

/* Writes a value in the form of the text. */
static void put_field(const struct event_text *text,
		      const struct field_class *class, const uint8_t *at,
		      const uint8_t *end)
{
	if (text->form == EVENT_RAW)
		field_text_put(text->out, class, at, end, text->color);
	else
		field_text_plain(text->out, class, at, end, text->color);
}

/* Writes the members that are chosen, and steps over the others. Members that
 * the event ends before are left out. `member` has as many elements as the
 * class has members. */
static void put_members(struct event_text *text,
			const struct field_class *class,
			const struct member_text *member, const uint8_t *at,
			const uint8_t *end)
{
	struct out *out = text->out;

	for (size_t i = 0; i < class->nmembers; i++, member++) {
		int64_t bytes = field_bytes(&class->members[i], at, end);

		if (bytes < 0)
			break;
		if (!member->left_out) {
			out_bytes(out, member->before, member->bytes);
			put_field(text, &class->members[i], at, at + bytes);
		}
		at += bytes;
	}
}

/* Writes them in braces. */
static void put_struct(struct event_text *text, const struct field_class *class,
		       const struct member_text *member, const uint8_t *at,
		       const uint8_t *end)
{
	out_char(text->out, '{');
	put_members(text, class, member, at, end);
	out_bytes(text->out, " }", 2);
}

/* Writes all of a structure of another tracer. */
static void put_whole(struct event_text *text, const struct field_class *class,
		      const uint8_t *at, const uint8_t *end)
{
	const char *before = "{ ";

	if (text->form == EVENT_RAW) {
		put_field(text, class, at, end);
		return;
	}
	for (size_t i = 0; i < class->nmembers; i++) {
		const struct field_class *member = &class->members[i];
		int64_t bytes = field_bytes(member, at, end);

		if (bytes < 0)
			break;
		if (!member->is_length) {
			out_text(text->out, before);
			put_color(text->out, text->color, COLOR_CYAN);
			out_text(text->out, member->name);
			put_color(text->out, text->color, COLOR_NONE);
			out_text(text->out, " = ");
			put_field(text, member, at, at + bytes);
			before = ", ";
		}
		at += bytes;
	}
	out_text(text->out, *before == '{' ? "{ }" : " }");
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
		put_whole(text, event->trace->packet, event->packet,
			  event->specific);
		between = ", ";
	}
	if (head->context) {
		out_text(out, between);
		put_struct(text, event->trace->context, head->context,
			   event->context, event_context_end(event));
		between = ", ";
	}
	if (event->class->specific) {
		out_text(out, between);
		put_whole(text, event->class->specific, event->specific,
			  event->context);
		between = ", ";
	}
	if (!event->class->bare) {
		out_text(out, between);
		put_struct(text, event->class->fields, head->fields,
			   event->fields, event->end);
	}
	out_char(out, '\n');
}

/* Writes the line in the short form, behind the time. */
static void put_short(struct event_text *text, const struct trace_event *event,
		      const struct event_head *head)
{
	struct out *out = text->out;
	const struct field_class *context;
	const uint8_t *at, *end;
	int64_t id, bytes = 0;

	out_bytes(out, head->process, head->process_bytes);
	/* the number of the event's thread, or else of the process */
	context = event->trace->context;
	at = event->context;
	end = event_context_end(event);
	id = event->trace->vpid;
	for (size_t i = 0; context && i < head->thread && bytes >= 0;
	     at += bytes)
		bytes = field_bytes(&context->members[i++], at, end);
	if (context && head->thread < context->nmembers && bytes >= 0 &&
	    field_bytes(&context->members[head->thread], at, end) >= 0)
		id = (int64_t)field_integer(&context->members[head->thread],
					    at);
	out_room(out, NUMBER_S64_BYTES);
	if (id < 0)
		*out->p++ = '-';
	else
		out->p = number_s64(out->p, id);
	out_bytes(out, head->text, head->bytes);
	if (head->cpu) {
		out_room(out, NUMBER_U64_BYTES);
		out->p = number_u64(out->p, event->cpu);
		put_color(out, text->color, COLOR_NONE);
	}
	if (head->context)
		put_members(text, event->trace->context, head->context,
			    event->context, event_context_end(event));
	if (head->specific)
		put_members(text, event->class->specific, head->specific,
			    event->specific, event->context);
	if (text->messages && message_text_is(event->class)) {
		out_char(out, ' ');
		message_text_put(out, event);
	} else {
		put_members(text, event->class->fields, head->fields,
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
	if (text->form == EVENT_SHORT) {
		put_short(text, event, head);
		return;
	}
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
			   event->context, event_context_end(event));
		out_bytes(out, ", ", 2);
	}
	if (text->messages && message_text_is(event->class))
		message_text_put(out, event);
	else
		put_struct(text, event->class->fields, head->fields,
			   event->fields, event->end);
	out_char(out, '\n');
}
