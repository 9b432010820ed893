/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tells which rules of a recording have selected no marker, and what may be
 * meant.
 */
#include "command/record/private.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "command/common/command.h"
#include "command/common/installed.h"
#include "command/common/nearest.h"
#include "command/elf/elfnotes.h"
#include "command/processes/places.h"
#include "command/processes/rule.h"
#include "tracepoints/conditions/rule-split.h"

/* Reads the markers of the program's file, which is found as by execvp(). */
static void read_markers(const struct record *record, struct marker_list *list)
{
	char error[ELFNOTES_ERROR_BYTES];
	char file[PATH_MAX];

	if (!installed_program(file, sizeof(file), record->options.program[0]))
		elfnotes_read(list, file, 0, error);
}

/* Adds that the program had no agent, and why, if that is known. */
static void none_note(struct record *record)
{
	const char *program = record->options.program[0];
	char line[CAUSE_LINE_BYTES];
	const char *why = record->first_lacks ?
				  lacking_words(record->first_lacks, line) :
			  record->lacking.nrows ?
				  record->lacking.rows[0].why : NULL;

	if (!why)
		outcome_note(&record->outcome, PROGRAM_UNKNOWN,
			     .subject = program);
	else if (record->lacking.full)
		outcome_note(&record->outcome, PROGRAM_FULL,
			     .subject = program, .text = why);
	else
		outcome_note(&record->outcome, PROGRAM_AGENTLESS,
			     .subject = program, .text = why);
}

/* Returns the text behind the tab of the line that an agent has written about a
 * rule ("GLOB<tab>condition 'EXPR', ..."), or NULL. */
static const char *fault_of(const char *faults, const char *rule)
{
	size_t bytes;
	const char *condition = rule_condition(rule, &bytes);
	const char *line, *p;

	for (line = faults; condition && *line; line = p + (*p == '\n')) {
		p = line + strcspn(line, "\n");
		if (strncmp(line, rule, bytes) || line[bytes] != '\t')
			continue;
		line = text_after(line + bytes + 1, "condition '");
		if (line && !strncmp(line, condition, strlen(condition)) &&
		    line[strlen(condition)] == '\'')
			return line - strlen("condition '");
		line = p;
	}
	return NULL;
}

static const char *faults_of(const struct consumer *consumer)
{
	return consumer->session->page.faults;
}

/* Adds why the condition of a rule can hold for no marker that the rule names.
 * Returns false when no process has told a reason. */
static bool fault_note(struct record *record, const char *rule)
{
	const char *fault = NULL;
	char text[CAUSE_TEXT_BYTES];
	size_t i;

	for (i = 0; i < record->nmembers; i++) {
		const struct record_member *member = record->members[i];

		for (size_t j = 0; !fault && j < member->nimages; j++)
			if (member->images[j]->session)
				fault = fault_of(faults_of(member->images[j]),
						 rule);
		if (fault)
			break;
	}
	if (!fault)
		return false;
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(fault, "\n"), fault);
	outcome_note(&record->outcome, RULE_IMPOSSIBLE,
		     .pid = record->members[i]->pid, .text = text);
	return true;
}

/* Adds that a rule names no marker of any process, and what may: ids like it
 * in the program's file, USDT probes, a provider. Without a rule, all are
 * meant. */
static void rule_note(struct record *record, const char *rule,
		      const struct marker_list *list)
{
	struct nearest nearest = { .rule = rule ? rule : "*" };
	struct outcome *outcome = &record->outcome;
	bool program = record->options.program;
	const char *agent = record->lacking.others || record->lacking.filtered ?
			    "with an agent" : "";
	char text[512];
	size_t used;

	for (size_t j = 0; j < list->count; j++)
		nearest_add(&nearest, list->markers[j].id);
	nearest_text(&nearest, text, sizeof(text));
	used = strlen(text);
	if (*text && rule) {
		snprintf(text + used, sizeof(text) - used, "%s",
			 rule_hint(rule));
		outcome_note(outcome, RULE_UNMET, .subject = rule,
			     .text = text);
	} else if (*text) {
		outcome_note(outcome, MARKERS_NAMED_ONLY, .subject = agent,
			     .text = text);
	} else if (rule) {
		outcome_fill(outcome, outcome_keep, program ?
			     CAUSE_RULE_MARKERLESS_PROGRAM :
			     CAUSE_RULE_MARKERLESS,
			     &(struct cause_slots){ .subject = rule,
						    .text = agent });
	} else {
		outcome_fill(outcome, outcome_keep, program ?
			     CAUSE_MARKERS_NONE_PROGRAM : CAUSE_MARKERS_NONE,
			     &(struct cause_slots){ .text = agent });
	}
}

void record_tell_rule(struct record *record, const char *rule)
{
	struct marker_list list = { 0 };

	if (record->options.program)
		read_markers(record, &list);
	rule_note(record, rule, &list);
	marker_list_free(&list);
}

void record_tell_unmet(struct record *record)
{
	const struct record_options *o = &record->options;
	struct marker_list list = { 0 };

	if (record->crowded)
		return;	/* what was not seen may have matched */
	if (o->program && !record->nmembers) {
		none_note(record);
		return;
	}
	if (o->program)
		read_markers(record, &list);
	for (int i = 0; i < o->nrules; i++) {
		if (record_met(record, o->rules[i]) ||
		    fault_note(record, o->rules[i]))
			continue;
		/* the place is told by places_tell() */
		if (places_named(record->places, o->rules[i]))
			outcome_take(&record->outcome, COMMAND_FAILED);
		else
			rule_note(record, o->rules[i], &list);
	}
	/* a program without markers is recorded as it is asked for */
	if (!o->nrules && !record_met(record, "*"))
		rule_note(record, NULL, &list);
	marker_list_free(&list);
}
