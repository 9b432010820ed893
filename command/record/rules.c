/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remembers markers, and tells of rules. See rules.h.
 *
 * Invariant: the table owns the events that it has. Markers that many images
 * have are there once, so the memory does not grow with the processes.
 */
#include "command/record/rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "command/agents/rule.h"
#include "command/common/installed.h"
#include "command/common/nearest.h"
#include "command/elf/elfnotes.h"
#include "command/elf/named-functions.h"
#include "command/elf/process-markers.h"
#include "tracepoints/conditions/rule-split.h"
#include "traces/array.h"

/* Of index_find(): compares two events. */
static bool same_event(uint64_t value, const void *key)
{
	const struct event_view *a = (const void *)(uintptr_t)value, *b = key;

	return a->writer == b->writer && a->kind == b->kind &&
	       a->nfields == b->nfields &&
	       !memcmp(a->types, b->types, a->nfields) &&
	       a->shown_bytes == b->shown_bytes &&
	       (!a->shown_bytes ||
		!memcmp(a->shown, b->shown, a->shown_bytes)) &&
	       !strcmp(a->channel, b->channel) && !strcmp(a->name, b->name) &&
	       !strcmp(a->text, b->text) && !strcmp(a->file, b->file);
}

int rules_take(struct rules *rules, pid_t pid, struct session_view *session)
{
	const char *text = session->page.faults;
	size_t n = 0;
	int ret = 0;

	/* the text of an agent, unless another process has given the same */
	while (n < rules->nfaults && strcmp(rules->faults[n].text, text))
		n++;
	if (*text && n == rules->nfaults) {
		if (array_grow(&rules->faults, n, sizeof(*rules->faults))) {
			rules->faults[n] =
				(struct rules_fault){ pid, strdup(text) };
			rules->nfaults += !!rules->faults[n].text;
		}
		ret = n == rules->nfaults ? -ENOMEM : 0;
	}
	for (size_t i = 0; i < session->nevents; i++) {
		struct event_view *event = session->events[i];
		uint64_t hash = INDEX_HASH;

		hash = index_hash(hash, event->channel,
				  strlen(event->channel) + 1);
		hash = index_hash(hash, event->name, strlen(event->name));
		if (index_find(&rules->events, hash, same_event, event))
			continue;
		if (index_add(&rules->events, hash, (uintptr_t)event))
			ret = -ENOMEM;
		else
			session->events[i] = NULL;
	}
	return ret;
}

/* Returns the event in a slot of the table, or NULL. */
static struct event_view *event_at(const struct rules *rules, uint32_t i)
{
	uint64_t value = index_slots(&rules->events)[i].value;

	return (struct event_view *)(uintptr_t)value;
}

/* Returns true when a rule selects an event, or NULL. Fields that cannot be
 * read allow each condition. */
static bool event_met(const struct event_view *event, const char *rule)
{
	struct rule_marker marker;
	char id[FUNCTION_ID_BYTES];

	if (!event || event->writer)
		return false;
	snprintf(id, sizeof(id), "%s/%s", event->channel, event->name);
	marker = (struct rule_marker){
		id, event->text, event->kind, event->types, event->nfields,
		event->shown, event->shown_bytes,
	};
	return rule_matches(rule, id, event->file) &&
	       rule_fit(rule, &marker) == RULE_FITS;
}

bool rules_met(const struct rules *rules, const char *rule)
{
	for (uint32_t i = 0; i < index_room(&rules->events); i++)
		if (event_met(event_at(rules, i), rule))
			return true;
	return false;
}

bool rules_met_in(const struct session_view *session, const char *rule)
{
	for (size_t i = 0; i < session->nevents; i++)
		if (event_met(session->events[i], rule))
			return true;
	return false;
}

bool rules_fault(const char *faults, const char *rule, char *text, size_t room)
{
	char begin[RULE_BYTES_MAX + RULE_CONDITION_MAX + 32];
	size_t bytes;
	const char *condition = rule_condition(rule, &bytes), *line;

	if (!condition)
		return false;
	snprintf(begin, sizeof(begin), "%.*s\tcondition '%s'", (int)bytes,
		 rule, condition);
	line = strstr(faults, begin);
	while (line && line > faults && line[-1] != '\n')
		line = strstr(line + 1, begin);
	if (!line)
		return false;
	line += bytes + 1;
	snprintf(text, room, "%.*s", (int)strcspn(line, "\n"), line);
	return true;
}

/* Of the program's file, or the probes of processes. */
static struct marker_list list;

void rules_learn(pid_t pid)
{
	process_probes_read(&list, pid);
}

/* Returns the markers in the program's file, or those of rules_learn(). */
static const struct marker_list *program_markers(const struct record_options *o)
{
	char file[PATH_MAX], error[ELFNOTES_ERROR_BYTES];
	static bool known;

	/* the program's file is found as by execvp() */
	if (!known && o->program &&
	    !installed_program(file, sizeof(file), o->program[0]))
		elfnotes_read(&list, file, SYMBOLISER_LTTNG, error);
	known = true;
	return &list;
}

/* Returns why the markers that a rule selects are off, or have no provider, or
 * NULL. */
static const char *rule_off(const char *rule, const struct marker_list *known)
{
	const char *why = NULL;

	for (size_t i = 0; rule && i < known->count; i++) {
		if (!rule_matches(rule, known->markers[i].id, NULL))
			continue;
		if (!known->markers[i].why || known->markers[i].placement)
			return NULL;
		why = known->markers[i].why;
	}
	return why && !strncmp(why, MARKER_OFF, strlen(MARKER_OFF)) ?
		       why + strlen(MARKER_OFF) : why;
}

bool rules_fault_taken(const struct rules *rules, const char *rule, pid_t *pid,
		       char *text)
{
	size_t i = 0;

	while (i < rules->nfaults &&
	       !rules_fault(rules->faults[i].text, rule, text,
			    CAUSE_TEXT_BYTES))
		i++;
	if (i < rules->nfaults)
		*pid = rules->faults[i].pid;
	return i < rules->nfaults;
}

/* Adds why the condition of a rule can hold for no marker that the rule names.
 * Returns false when no process has told a reason. */
static bool fault_note(const struct rules *rules,
		       const struct record_options *o, const char *rule,
		       struct outcome *outcome)
{
	char text[CAUSE_TEXT_BYTES];
	pid_t pid;

	if (!rules_fault_taken(rules, rule, &pid, text))
		return false;
	rule_add_nearest(rule, program_markers(o), text, sizeof(text));
	outcome_note(outcome, RULE_IMPOSSIBLE, .pid = pid, .text = text);
	return true;
}

/* Rules of rules_await(), and markers of the processes that are similar. */
static struct {
	const char *rule;
	char *nearest;			/* or NULL */
} awaited[RECORD_RULES_MAX];
static size_t nawaited;

void rules_await(const char *rule, const char *nearest)
{
	if (nawaited == RECORD_RULES_MAX)
		return;
	awaited[nawaited].rule = rule;
	awaited[nawaited++].nearest = strdup(nearest);
}

/* Returns the number of a rule that is awaited, or nawaited. */
static size_t awaited_find(const char *rule)
{
	size_t i = 0;

	while (i < nawaited && awaited[i].rule != rule)
		i++;
	return i;
}

/* Returns where functions are looked for. */
static struct named_in functions_in(const struct record_options *o)
{
	return (struct named_in){
		.pids = o->pids.pids, .npids = (size_t)o->pids.count,
		.program = o->program ? o->program[0] : NULL,
	};
}

bool rules_never(const struct record_options *o, const char *rule, char *glob,
		 char *text)
{
	const struct marker_list *known = program_markers(o);
	size_t bytes, i = 0;
	const char *condition = rule_condition(rule, &bytes);
	struct named_in in = functions_in(o);

	if (awaited_find(rule) < nawaited ||
	    (rule_kind(rule) == RULE_FUNCTIONS && !functions_named(rule, &in)))
		return false;
	/* -p has looked whether there is a marker of that name */
	while (i < known->count &&
	       !rule_matches(rule, known->markers[i].id, NULL))
		i++;
	if (!condition || (o->program && i == known->count))
		return false;
	rule_tell_never(rule, glob, text, CAUSE_TEXT_BYTES);
	return true;
}

bool rules_nearest(const struct record_options *o, const char *rule, char *text,
		   size_t room)
{
	const struct marker_list *known = program_markers(o);
	struct nearest nearest = { .rule = rule ? rule : "*" };
	struct named_in in = functions_in(o);
	size_t used, k = awaited_find(rule);

	if (rule && rule_kind(rule) == RULE_FUNCTIONS) {
		functions_nearest(rule, &in, text, room);
		return *text;
	}
	if (k < nawaited && awaited[k].nearest) {
		snprintf(text, room, "%s", awaited[k].nearest);
		return *text;
	}
	for (size_t j = 0; j < known->count; j++)
		if (!known->markers[j].why || known->markers[j].placement)
			nearest_add(&nearest, known->markers[j].id);
	nearest_text(&nearest, text, room);
	used = strlen(text);
	if (used && rule)
		snprintf(text + used, room - used, "%s", rule_hint(rule, text));
	return used;
}

void rules_note_one(const struct record_options *o, const char *rule, bool some,
		    struct outcome *outcome)
{
	bool one = o->program || o->pids.count;
	const char *agent = some ? "with an agent" : "";
	char text[CAUSE_TEXT_BYTES], glob[RULE_BYTES_MAX + 1];
	const char *why = rule_off(rule, program_markers(o));
	struct named_in in = functions_in(o);
	enum cause_id id;
	bool used;

	if (why) {
		snprintf(text, sizeof(text), "is traced: %s", why);
		outcome_note(outcome, RULE_NEVER, .subject = rule,
			     .text = text);
		return;
	}
	if (rule && rule_leaves_functions(rule, glob, text, sizeof(text)) &&
	    functions_named(rule, &in)) {
		outcome_note(outcome, RULE_NEVER, .subject = glob,
			     .text = text);
		return;
	}
	if (rule && functions_never_whole(rule, &in)) {
		outcome_note(outcome, RULE_NEVER, .subject = rule,
			     .text = FUNCTIONS_NOT_WHOLE);
		return;
	}
	if (rule && rule_kind(rule) == RULE_FUNCTIONS) {
		rules_nearest(o, rule, text, sizeof(text));
		outcome_note(outcome, FUNCTIONS_UNNAMED, .subject = rule,
			     .text = text);
		return;
	}
	if (rule && rules_never(o, rule, glob, text)) {
		outcome_note(outcome, RULE_NEVER, .subject = glob,
			     .text = text);
		return;
	}
	used = rules_nearest(o, rule, text, sizeof(text));
	if (used)
		id = rule ? CAUSE_RULE_UNMET : CAUSE_MARKERS_NAMED_ONLY;
	else if (rule)
		id = one ? CAUSE_RULE_MARKERLESS_PROGRAM :
			   CAUSE_RULE_MARKERLESS;
	else
		id = one ? CAUSE_MARKERS_NONE_PROGRAM : CAUSE_MARKERS_NONE;
	outcome_fill(outcome, outcome_keep, id, &(struct cause_slots){
		     .subject = rule ? rule : used ? agent : NULL,
		     .text = used ? text : agent,
		     .path = rule ? rule_hint(rule, "") : "" });
}

void rules_note(const struct rules *rules, const struct record_options *o,
		const struct places *places, bool some,
		struct outcome *outcome)
{
	for (int i = 0; i < o->nrules; i++) {
		const char *rule = o->rules[i];

		if (!rules_met(rules, rule) &&
		    !fault_note(rules, o, rule, outcome) &&
		    !places_named(places, rule))
			rules_note_one(o, rule, some, outcome);
	}
	/* a program without markers is recorded as it is asked for */
	if (!o->nrules && !rules_met(rules, "*"))
		rules_note_one(o, NULL, some, outcome);
}

/* Returns true when a rule has selected a marker that is not left out. */
static bool rule_served(const struct rules *rules, const struct places *places,
			const char *rule)
{
	const struct event_view *event;
	char id[FUNCTION_ID_BYTES];

	for (uint32_t i = 0; i < index_room(&rules->events); i++) {
		event = event_at(rules, i);
		if (!event_met(event, rule))
			continue;
		snprintf(id, sizeof(id), "%s/%s", event->channel, event->name);
		/* one that is left out has neither fields nor a level, and may
		 * be a copy of one that is not */
		if (event->nfields || event->shown_bytes ||
		    !places_leave_out(places, id))
			return true;
	}
	return false;
}

bool rules_all_served(const struct rules *rules, const struct record_options *o,
		      const struct places *places)
{
	int i = 0;

	while (i < o->nrules && rule_served(rules, places, o->rules[i]))
		i++;
	return i == o->nrules && (i || rule_served(rules, places, "*"));
}

void rules_free(struct rules *rules)
{
	for (uint32_t i = 0; i < index_room(&rules->events); i++)
		free(event_at(rules, i));
	for (size_t i = 0; i < rules->nfaults; i++)
		free(rules->faults[i].text);
	index_clear(&rules->events);
	free(rules->faults);
	*rules = (struct rules){ 0 };
}
