/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules of --pair whose events, keys or threads the traces do not have.
 */
#include <stdio.h>
#include <string.h>

#include "command/common/counted.h"
#include "command/common/nearest.h"
#include "command/look/look.h"
#include "traces/read/field-at.h"

#define WORD_BYTES	1024

/* Returns whether an event of the name has the field, or a context. */
static bool has_key(const struct look *look, const char *event, const char *key)
{
	/* what is known of all events */
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

/* Copies what is before the next comma. Returns what is behind that. */
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
