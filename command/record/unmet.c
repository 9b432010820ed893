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

/* Tells that the program had no agent, and why, if that is known. */
static int tell_none(const struct record *record)
{
	const char *program = record->options.program[0];
	const char *why = record->first_lacks ?
				  lacking_words(record->first_lacks) :
			  record->lacking.nrows ?
				  record->lacking.rows[0].why : NULL;

	if (why)
		return command_failed(record->lacking.full ?
				      "%s was not recorded: %s" :
				      "the agent was not active in %s: %s",
				      program, why);
	return command_failed("the agent was not active in %s: no reason is "
			      "known, TAFFRAIL_LOG=error may tell it"
			      COMMAND_SEE_DOCTOR " -- %s", program, program);
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

/* Prints why the condition of a rule can hold for no marker that the rule
 * names. Returns false when no process has told a reason. */
static bool tell_fault(const struct record *record, const char *rule)
{
	const char *fault = NULL;
	size_t i;
	size_t j;

	for (i = 0; i < record->nmembers; i++) {
		const struct record_member *member = record->members[i];

		for (j = 0; !fault && j < member->nimages; j++)
			if (member->images[j]->session)
				fault = fault_of(faults_of(member->images[j]),
						 rule);
		if (fault)
			break;
	}
	if (fault)
		command_failed("process %d: %.*s",
			       record->members[i]->pid,
			       (int)strcspn(fault, "\n"), fault);
	return fault;
}

/* Tells that a rule names no marker of any process, and what may: ids like it
 * in the program's file, USDT probes, a provider. Without a rule, all are
 * meant. */
static void tell_rule(const struct record *record, const char *rule,
		      const struct marker_list *list)
{
	struct nearest nearest = { .rule = rule ? rule : "*" };
	const char *agent = record->lacking.others || record->lacking.filtered ?
			    " with an agent" : "";
	char named[RULE_BYTES_MAX + RULE_CONDITION_MAX + 32] = "";
	char text[512];
	size_t j;

	for (j = 0; j < list->count; j++)
		nearest_add(&nearest, list->markers[j].id);
	nearest_text(&nearest, text, sizeof(text));
	if (rule)
		snprintf(named, sizeof(named), " that '%s' names", rule);
	if (*text && rule)
		command_warn("no marker matched '%s'; nearest: %s%s", rule,
			     text, rule_hint(rule));
	else if (*text)
		command_warn("no process%s has a marker; probes are recorded "
			     "if -e names them: %s", agent, text);
	else
		command_warn("no process%s has a marker%s: 'taffrail list "
			     "FILE' shows a program's%s", agent, named,
			     record->options.program ? ", --provider pthread "
			     "adds those of threads and locks" : "");
}

void record_tell_rule(const struct record *record, const char *rule)
{
	struct marker_list list = { 0 };

	if (record->options.program)
		read_markers(record, &list);
	tell_rule(record, rule, &list);
	marker_list_free(&list);
}

int record_tell_unmet(const struct record *record)
{
	const struct record_options *o = &record->options;
	struct marker_list list = { 0 };
	int status = COMMAND_DONE;
	int i;

	if (record->crowded)
		return status;	/* what was not seen may have matched */
	if (o->program && !record->nmembers)
		return tell_none(record);
	if (o->program)
		read_markers(record, &list);
	for (i = 0; i < o->nrules; i++) {
		if (record_met(record, o->rules[i]))
			continue;
		if (!tell_fault(record, o->rules[i]) &&
		    !places_named(record->places, o->rules[i]))
			tell_rule(record, o->rules[i], &list);
		status = COMMAND_FAILED;
	}
	/* a program without markers is recorded as it is asked for */
	if (!o->nrules && !record_met(record, "*"))
		tell_rule(record, NULL, &list);
	marker_list_free(&list);
	return status;
}
