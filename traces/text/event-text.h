/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events as lines of text, in three forms. The raw one is byte for byte what
 * babeltrace2's sink.text.pretty prints by default; the long one has the same
 * parts, and the values as people want to read them (field_text_plain()); the
 * short one has less of the parts, for a terminal. Facts: babeltrace2 2.0.4,
 * plugins/text/pretty.
 *
 *	[HH:MM:SS.nnnnnnnnn] (+S.nnnnnnnnn) HOST:PROC:(PID) NAME: \
 *		{ cpu_id = N }, { CONTEXTS }, { FIELDS }
 *	HH:MM:SS.nnnnnnnnn PROC/THREAD NAME CONTEXTS, FIELDS
 *
 * Invariant: text of a traced program reaches a terminal only escaped.
 */
#ifndef TRACES_TEXT_EVENT_TEXT_H
#define TRACES_TEXT_EVENT_TEXT_H

#include <time.h>

#include "traces/read/merge.h"
#include "traces/text/out.h"

enum event_form { EVENT_RAW, EVENT_LONG, EVENT_SHORT };

struct event_text {
	struct out *out;
	enum event_form form;
	bool named;			/* short: with the process's name */
	bool delta;			/* short: no time of day, but the time
					 * since the event before */
	bool no_delta;
	bool dates;
	bool utc;
	bool color;
	bool messages;			/* in place of fields, where an event
					 * has one */
	const char *const *only;	/* names of fields; NULL: all */
	size_t nonly;
	/* private */
	bool any;			/* an event was written */
	int64_t last;			/* the event's time */
	int64_t second;			/* that `clock` shows */
	char clock[48];			/* "[2026-11-26 10:00:00." */
	size_t clock_bytes;
	struct event_head *heads;	/* all that were made */
};

/* Call it with `out` and the settings set, and the rest zero. For
 * event_text_time() alone, `out` is not needed, and nothing is to be freed. */
void event_text_open(struct event_text *text);

/* Frees the texts of all classes, whose events must not be written any more. */
void event_text_free(struct event_text *text);

/* Writes a line; without memory, sets the error of `out`. Uses the `priv` of
 * events' classes. */
void event_text_put(struct event_text *text, const struct trace_event *event);

/* Writes a time as in the brackets, at most 48 bytes with a NUL. */
void event_text_time(struct event_text *text, int64_t ns, char *p);

/* Writes a field's value, for `at` of field_bytes() bytes. */
void field_text_put(struct out *out, const struct field_class *class,
		    const uint8_t *at, const uint8_t *end, bool color);

/*
 * Does so for people: an integer that has a unit with the unit, an enumeration
 * by the name alone, an array without the elements' numbers and its length, and
 * a string with the quotes and question marks that are in it (' and ?).
 */
void field_text_plain(struct out *out, const struct field_class *class,
		      const uint8_t *at, const uint8_t *end, bool color);

/*
 * Writes a string in double quotes, as field_text_plain() does; or without
 * quotes, where quotation marks, question marks and backslashes stay. For a
 * terminal, also escapes what utf8_is_control() tells, and bytes that are no
 * UTF-8, as \xNN.
 * string_text_put() writes four bytes at most for one.
 */
void string_text_put(struct out *out, const char *at, size_t n);
void string_text_inside(struct out *out, const char *at, size_t n);

/* Returns whether events of a class have a message. */
bool message_text_is(const struct event_class *class);

/* Writes the message of an event. The event's class has one. */
void message_text_put(struct out *out, const struct trace_event *event);

#endif
