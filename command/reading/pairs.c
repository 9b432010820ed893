/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pairs of events: rules of --pair whose events, keys or threads the traces do
 * not have, and sentences about the events that pairs leave out.
 */
#include <stdio.h>
#include <string.h>

#include "command/common/counted.h"
#include "command/common/nearest.h"
#include "command/reading/look.h"
#include "traces/read/field-at.h"
#include "traces/text/event-text.h"

#define WORD_BYTES	1024

/* Returns whether an event of the name has the field, or a context. */
static bool has_key(const struct look *look, const char *event, const char *key)
{
	/* known of all events */
	static const char *const all[] = { "cpu", "cpu_id", "vpid",
					    "procname" };
	struct trace_class *const *traces;
	size_t n = reader_traces(look->reader, &traces);
	struct field_at at;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(key, all[i]))
			return true;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < traces[i]->nevents; k++) {
			const struct event_class *class = traces[i]->events[k];

			/* other tracers have more contexts */
			if (class && event_name_is(class->name, event) &&
			    (traces[i]->foreign ||
			     field_at_find(&at, traces[i], class, key)))
				return true;
		}
	}
	return false;
}

static int no_event(const struct look *look, const char *rule, char *name)
{
	char names[NEAREST_IDS * (NEAREST_LENGTH_MAX + 8)];
	struct nearest nearest = { .rule = name };
	struct trace_class *const *traces;
	size_t n = reader_traces(look->reader, &traces);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < traces[i]->nevents; k++)
			if (traces[i]->events[k])
				nearest_add(&nearest,
					    traces[i]->events[k]->name);
	nearest_text(&nearest, names, sizeof(names));
	if (!*names)
		return command_failed("--pair '%s': no event is named '%s': "
				      "the traces describe none", rule, name);
	return command_failed("--pair '%s': no event is named '%s'; nearest: "
			      "%s", rule, name, names);
}

static void add_members(char *text, const struct field_class *class)
{
	size_t n = strlen(text);

	for (size_t i = 0; class && i < class->nmembers; i++) {
		const char *name = class->members[i].name;

		if (!name || class->members[i].is_length ||
		    n + strlen(name) + 3 > WORD_BYTES)
			continue;
		n += (size_t)sprintf(text + n, "%s%s", n ? ", " : "", name);
	}
}

/* Lists the fields and contexts of the first event of the name. */
static void list_fields(const struct look *look, const char *event, char *text)
{
	struct trace_class *const *traces;
	size_t n = reader_traces(look->reader, &traces);

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < traces[i]->nevents; k++) {
			const struct event_class *class = traces[i]->events[k];

			if (!class || !event_name_is(class->name, event))
				continue;
			add_members(text, class->fields);
			add_members(text, traces[i]->context);
			return;
		}
	}
}

static int check_key(const struct look *look, const char *rule,
		     const char *event, const char *key)
{
	char fields[WORD_BYTES] = "";

	if (has_key(look, event, key))
		return COMMAND_DONE;
	list_fields(look, event, fields);
	return command_failed("--pair '%s': %s has no field '%s'; it has: %s",
			      rule, event, key, *fields ? fields : "none");
}

/* Copies the text before the next comma. Returns the text behind it. */
static const char *take_word(char *word, const char *at)
{
	size_t n = strcspn(at, ",");

	snprintf(word, WORD_BYTES, "%.*s", (int)n, at);
	return at + n + (at[n] == ',');
}

int look_check_events(const struct look *look, const char *rule)
{
	char name[WORD_BYTES];
	const char *at = rule;

	for (int i = 0; i < 2; i++) {
		at = take_word(name, at);
		if (!look_has(look, name, NULL))
			return no_event(look, rule, name);
	}
	return COMMAND_DONE;
}

int look_check_pair(const struct look *look, const char *rule)
{
	char begin[WORD_BYTES], end[WORD_BYTES], key[WORD_BYTES];
	const char *at = take_word(end, take_word(begin, rule));
	int ret = look_check_events(look, rule);

	while (*at && ret == COMMAND_DONE) {
		char *other;

		at = take_word(key, at);
		if (!strcmp(key, "@any"))
			continue;
		/* A of the begin is B of the end: A=B */
		other = strchr(key, '=');
		if (other)
			*other++ = '\0';
		ret = check_key(look, rule, begin, key);
		if (ret == COMMAND_DONE)
			ret = check_key(look, rule, end, other ? other : key);
	}
	return ret;
}

int look_tell_threadless(const char *rule, uint64_t events)
{
	if (!events)
		return COMMAND_DONE;
	if (rule)
		return command_failed("--pair '%s': %s without a thread (the "
				      "context vtid), which no pair is made "
				      "of: a KEY in the rule pairs by value, "
				      "--pair-by cpu by CPU", rule,
				      counted(events, "event"));
	command_warn("%s not paired: without a thread (the context vtid); "
		     "--pair-by cpu pairs by CPU", counted(events, "event"));
	return COMMAND_DONE;
}

#define NOTE_BYTES	512

bool look_partial(const struct look *look, const struct trace_class *trace,
		  int64_t *from)
{
	return gaps_end(&trace->gaps, reader_begin(look->reader),
			reader_end(look->reader), from);
}

static void note_process(const struct look *look, const struct pairs *pairs,
			 const struct trace_class *trace, int64_t ns,
			 char *note)
{
	struct event_text text = { .utc = look->utc, .dates = true };
	struct pairs_out out = pairs_left_out(pairs, trace);
	char from[64], pid[24] = "", left[128] = "";
	char *blank;

	event_text_open(&text);
	event_text_time(&text, ns, from);
	blank = strchr(from, ' ');
	if (blank)
		*blank = 'T';
	if (trace->vpid >= 0)
		snprintf(pid, sizeof(pid), " (%lld)", (long long)trace->vpid);
	if (out.begins || out.ends)
		snprintf(left, sizeof(left), "; before that, %s and %s of "
			 "pairs are left out", counted(out.begins, "begin"),
			 counted(out.ends, "end"));
	snprintf(note, NOTE_BYTES, "%.256s%s: events are complete from %s on%s",
		 *trace->procname ? trace->procname : trace->path, pid, from,
		 left);
}

void look_notes(const struct look *look, const struct pairs *pairs, size_t most,
		void (*take)(const char *note, void *priv), void *priv)
{
	struct trace_class *const *traces;
	size_t n = reader_traces(look->reader, &traces), told = 0;
	uint64_t given_up = pairs_given_up(pairs);
	char note[NOTE_BYTES];
	int64_t from;

	for (size_t i = 0; i < n; i++) {
		if (!look_partial(look, traces[i], &from) || ++told > most)
			continue;
		note_process(look, pairs, traces[i], from, note);
		take(note, priv);
	}
	if (told > most) {
		snprintf(note, sizeof(note), "events of %s are not complete "
			 "from the beginning on, either",
			 counted(told - most, "more process"));
		take(note, priv);
	}
	if (!given_up)
		return;
	snprintf(note, sizeof(note), "%s given up, because more than %u were "
		 "open at a time; an end of one counts as without a begin",
		 counted(given_up, "pair"), PAIRS_OPEN_MAX);
	take(note, priv);
}

static void warn_note(const char *note, void *priv)
{
	(void)priv;
	command_warn("%s", note);
}

void look_warn_notes(const struct look *look, const struct pairs *pairs)
{
	look_notes(look, pairs, LOOK_NOTES_MAX, warn_note, NULL);
}
