/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pairs of events: rules of --pair whose events, keys or threads the traces do
 * not have, and sentences about the events that pairs leave out.
 *
 * Invariant: a rule is checked word by word, and the first word that is wrong
 * is told alone.
 */
#include <stdio.h>
#include <string.h>

#include "command/common/counted.h"
#include "command/common/json.h"
#include "command/common/nearest.h"
#include "command/reading/look.h"
#include "traces/read/field-at.h"

#define WORD_BYTES	1024

/* Adds the names of a structure's members to a text of WORD_BYTES, as many as
 * there is room for. */
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

/* Checks that an event of the name has the field, or a context. If not, lists
 * the fields and contexts of the first event of the name, which the others
 * mostly share. Returns COMMAND_DONE, or COMMAND_FAILED after printing them. */
static int check_key(const struct look *look, const char *rule,
		     const char *event, const char *key)
{
	/* known of all events */
	static const char *const all[] = { "cpu", "cpu_id", "vpid",
					    "procname" };
	struct look_walk walk = { 0 };
	char fields[WORD_BYTES] = "";
	struct field_at at;
	bool listed = false;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(key, all[i]))
			return COMMAND_DONE;
	while (look_next_class(look, &walk)) {
		if (!event_name_is(walk.class->name, event))
			continue;
		/* other tracers have more contexts */
		if (walk.trace->foreign ||
		    field_at_find(&at, walk.trace, walk.class, key))
			return COMMAND_DONE;
		if (!listed) {
			add_members(fields, walk.class->fields);
			add_members(fields, walk.trace->context);
		}
		listed = true;
	}
	return command_failed("--pair '%s': %s has no field '%s'; it has: %s",
			      rule, event, key, *fields ? fields : "none");
}

/* Copies the text before the next comma, at most WORD_BYTES with the NUL.
 * Returns the text behind the comma, or the end. */
static const char *take_word(char *word, const char *at)
{
	size_t n = strcspn(at, ",");

	snprintf(word, WORD_BYTES, "%.*s", (int)n, at);
	return at + n + (at[n] == ',');
}

int look_check_events(const struct look *look, const char *rule)
{
	char names[NEAREST_IDS * (NEAREST_LENGTH_MAX + 8)];
	char name[WORD_BYTES];
	const char *at = rule;

	for (int i = 0; i < 2; i++) {
		struct nearest nearest = { .rule = name };
		struct look_walk walk = { 0 };

		at = take_word(name, at);
		if (look_has(look, name, NULL))
			continue;
		while (look_next_class(look, &walk))
			nearest_add(&nearest, walk.class->name);
		nearest_text(&nearest, names, sizeof(names));
		if (!*names)
			return command_failed("--pair '%s': no event is named "
					      "'%s': the traces describe none",
					      rule, name);
		return command_failed("--pair '%s': no event is named '%s'; "
				      "nearest: %s", rule, name, names);
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
	return gaps_end(trace_gaps(trace), reader_begin(look->reader),
			reader_end(look->reader), from);
}

void look_apart_json(struct json *json, const struct pairs *pairs)
{
	struct pair_kind *const *kinds;
	size_t n = pairs_kinds(pairs, &kinds);
	char note[NOTE_BYTES];

	json_open(json, "without_durations", '[');
	for (size_t i = 0; i < n; i++) {
		if (!kinds[i]->termless ||
		    !pair_termless_text(kinds[i], note, sizeof(note)))
			continue;
		json_open(json, NULL, '{');
		json_string(json, "name", kinds[i]->name);
		json_number(json, "events", kinds[i]->termless);
		json_string(json, "note", note);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void look_notes(const struct look *look, const struct pairs *pairs, size_t most,
		void (*take)(const char *note, void *priv), void *priv)
{
	struct trace_class *const *traces;
	struct pair_kind *const *kinds;
	size_t n = reader_traces(look->reader, &traces), told = 0, lines = 0;
	uint64_t given_up = pairs_given_up(pairs);
	char note[NOTE_BYTES], from[64];
	int64_t ns;

	for (size_t i = 0; i < n; i++) {
		const struct trace_class *trace = traces[i];
		char pid[24] = "", left[128] = "";
		struct pairs_out out;

		/* once for those that share it */
		if (trace->carrier || !look_partial(look, trace, &ns) ||
		    ++told > most)
			continue;
		out = pairs_left_out(pairs, trace);
		look_time_text(ns, look->utc, true, from);
		if (trace->vpid >= 0)
			snprintf(pid, sizeof(pid), " (%lld)",
				 (long long)trace->vpid);
		if (out.begins || out.ends)
			snprintf(left, sizeof(left), "; before that, %s and %s "
				 "of pairs are left out",
				 counted(out.begins, "begin"),
				 counted(out.ends, "end"));
		snprintf(note, sizeof(note), "%.256s%s: events are complete "
			 "from %s on%s", *trace->procname ? trace->procname :
							    trace->path,
			 pid, from, left);
		take(note, priv);
	}
	n = pairs_kinds(pairs, &kinds);
	for (size_t i = 0; i < n && lines < most; i++) {
		if (!pair_termless_text(kinds[i], note, sizeof(note)))
			continue;
		take(note, priv);
		lines++;
	}
	/* of the other processes, the number is enough */
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

/* Prints a sentence of look_notes() on standard error. */
static void warn_note(const char *note, void *priv)
{
	command_warn("%s", note);
}

void look_warn_notes(const struct look *look, const struct pairs *pairs)
{
	look_notes(look, pairs, LOOK_NOTES_MAX, warn_note, NULL);
}
