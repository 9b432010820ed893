/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules as they are typed: GLOB, matched against "channel/name" and written like
 * it or as "channel:name"; or GLOB if EXPR (tracepoints/conditions/expr.h); the
 * types of arguments may follow GLOB (tracepoints/conditions/rule-split.h).
 */
#ifndef COMMAND_AGENTS_RULE_H
#define COMMAND_AGENTS_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RULE_BYTES_MAX	159	/* of a glob that an agent keeps */
#define RULE_CONDITION_MAX 347	/* of a condition */

/*
 * Checks a rule. Returns 0, or -EINVAL and the fact in *why: the rule is empty
 * or too long, has characters that no id has, an invalid condition, or argument
 * types that do not exist. *why is valid until the next call.
 */
int rule_check(const char *rule, const char **why);

/* Checks a rule that was typed. Returns COMMAND_DONE, with *rule in the form
 * that other rules are compared with (rule_unify()), which lives until the
 * command ends; else another status, after printing the fault. */
int rule_take(const char **rule);
/* The same for --where, which may name the line of a rule that was taken. */
int rule_take_where(const char **rule);

/* Adds rules to a request, each behind the descriptions of the lines that it
 * names (command/elf/line-rules.h). */
struct client_request;
void rule_request(struct client_request *request, const char *const *rules,
		  int count);

/* Adds a rule to a text "'A', 'B'"; without room for it, to "'A', ...". */
void rule_list(char *text, size_t room, const char *rule);

/*
 * Takes the value of --level: a level, for this one and more severe ones, or
 * "=LEVEL"; a name of taffrail_marker(3), also as LTTng writes it
 * (TRACE_WARNING), or a number. Returns COMMAND_DONE, with the condition in
 * *test, which lives until the command ends; else another status, after
 * printing the fault.
 */
int rule_take_level(const char **test, const char *value);

/* Adds a condition that --OPTION stands for to rules; to "*" if there is none.
 * Returns as rule_take(). */
int rule_limit(const char **rules, int *count, const char *option,
	       const char *test);

/* Functions whose whole calls are recorded, by --functions and so on. */
#define RULE_CALLS_MAX	32

struct rule_calls {
	const char *rules[RULE_CALLS_MAX];
	int behind[RULE_CALLS_MAX];	/* rules of -e that were typed before */
	int count;
	int64_t min_ns;			/* 0: not given */
	unsigned long depth;		/* the same */
};

/* Take the values of the options. `typed`: rules of -e that stand before.
 * Return as rule_take(). */
int rule_take_functions(struct rule_calls *calls, const char *value, int typed);
int rule_take_depth(struct rule_calls *calls, const char *value);
int rule_take_min_time(struct rule_calls *calls, const char *value);

/* Adds the rules that the options mean, where they were typed, at most so that
 * there are `most`. Returns as rule_take(). */
int rule_add_calls(struct rule_calls *calls, const char **rules, int *count,
		   int most);

/* Returns true when a checked rule selects the marker with that id. `file`: of
 * a function, "MODULE" or "MODULE/FILE"; NULL or "": it may be any. */
bool rule_matches(const char *rule, const char *id, const char *file);

/* Returns true when the level that functions have, debug_line, rules out the
 * condition of a rule for them; writes the glob, and the text of
 * rule_tell_never(). */
bool rule_leaves_functions(const char *rule, char *glob, char *text,
			   size_t room);

/* Returns whether a rule spells the provider, so that it may make markers of
 * USDT probes. */
bool rule_names_provider(const char *rule);

/* A marker, as rule_fit() needs it. */
struct rule_marker {
	const char *id;
	const char *text;		/* its format */
	int kind;
	const uint8_t *types;
	unsigned int nfields;
	const char *shown;
	size_t shown_bytes;
};

enum rule_fit {
	RULE_FITS,			/* or that cannot be told */
	RULE_MISFITS,			/* the marker lacks a field, or the
					 * types do not allow the condition */
	RULE_NEVER,			/* the level or id decides: it never
					 * holds */
};

/* Returns whether the condition of a rule may hold for a marker that the rule
 * names. */
enum rule_fit rule_fit(const char *rule, const struct rule_marker *marker);

struct marker_list;

/* Adds to a fault 'no field "X"' the field of another marker of the list that
 * the rule names, if that name is near. */
void rule_add_nearest(const char *rule, const struct marker_list *list,
		      char *fault, size_t room);

/* Writes why no marker that the glob of such a rule names is meant: none "has
 * the level info". `glob` has room for RULE_BYTES_MAX + 1 bytes. */
void rule_tell_never(const char *rule, char *glob, char *text, size_t room);

/* Returns an addition to a message about a rule that matches nothing: that a
 * list is not one rule, or how pthread's events are added, unless one of them
 * is among the nearest; or "". */
const char *rule_hint(const char *rule, const char *nearest);

#endif
