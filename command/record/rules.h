/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which rules of a recording have selected a marker of some process, and why
 * the others have not.
 *
 * Invariant: the answer does not depend on the order of the rules. A
 * marker has an event in the trace by any rule that names it. A rule with a
 * condition has selected it only if the marker's fields allow the condition.
 */
#ifndef COMMAND_RECORD_RULES_H
#define COMMAND_RECORD_RULES_H

#include "base/index.h"
#include "buffers/reader/reader.h"
#include "command/agents/places.h"
#include "command/record/options.h"
#include "command/causes/outcome.h"

/* The words of an agent about conditions, a line a rule. */
struct rules_fault {
	pid_t pid;
	char *text;
};

/* Empty: all zeros. */
struct rules {
	struct index events;		/* the markers that images had: each
					 * struct event_view once */
	struct rules_fault *faults;	/* each text once */
	size_t nfaults;
};

/*
 * Takes the markers of a session of a process out of the session, which does
 * not know them any more, and copies the agent's words about rules. Returns 0
 * or -ENOMEM.
 */
int rules_take(struct rules *rules, pid_t pid, struct session_view *session);

/* Notes the USDT probes of a process, which are told where it has no marker and
 * no rule names them. The process may have ended by then. */
void rules_learn(pid_t pid);

/* Notes a rule of -p that names no marker yet, and which are similar: a text of
 * nearest_text(), which is copied. */
void rules_await(const char *rule, const char *nearest);

/* Returns true when the rule has selected a marker that was taken. */
bool rules_met(const struct rules *rules, const char *rule);

/* Returns true when it has selected one of a session whose markers were not
 * taken yet. */
bool rules_met_in(const struct session_view *session, const char *rule);

/* Writes why the condition of a rule can hold for no marker that the rule
 * names, by the lines of an agent: "GLOB<tab>condition 'EXPR', ...". Returns
 * false when none is the rule's. */
bool rules_fault(const char *faults, const char *rule, char *text, size_t room);

/* Does so by the words that were taken, for CAUSE_TEXT_BYTES; *pid is the
 * process that has given them. */
bool rules_fault_taken(const struct rules *rules, const char *rule, pid_t *pid,
		       char *text);

/* Returns whether a rule that selects no marker names some, by the program's
 * file, or a process of -p: its condition holds for none of them. Writes the
 * rule's glob, at most RULE_BYTES_MAX bytes, and CAUSE_TEXT_BYTES for what none
 * of them has. */
bool rules_never(const struct record_options *o, const char *rule, char *glob,
		 char *text);

/* Writes which ids in the program's file, or the processes of -p, are similar
 * to a rule, and other rules that may be meant. NULL stands for all markers.
 * Returns false if there is nothing. */
bool rules_nearest(const struct record_options *o, const char *rule, char *text,
		   size_t room);

/*
 * Adds to an outcome that a rule names no marker of any process, and names that
 * may be meant: similar ids in the program's file, USDT probes, a provider.
 * With `some` there were processes without an agent. NULL stands for all
 * markers.
 */
void rules_note_one(const struct record_options *o, const char *rule, bool some,
		    struct outcome *outcome);

/* Does so for each rule that has selected no marker, most likely a typing
 * error. Places that are not switched are told elsewhere (places_tell()). */
void rules_note(const struct rules *rules, const struct record_options *o,
		const struct places *places, bool some,
		struct outcome *outcome);

/* Returns true when each rule has selected a marker that is not an event of
 * LTTng-UST that is left out; without a rule, when there is one. */
bool rules_all_served(const struct rules *rules, const struct record_options *o,
		      const struct places *places);

/* Frees the markers that were taken, and the words. */
void rules_free(struct rules *rules);

#endif
