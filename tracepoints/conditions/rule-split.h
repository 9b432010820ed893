/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of a rule, GLOB(TYPES) if EXPR, as agent and command find them; and
 * what tells rules of other forms, and rules in a list, apart.
 */
#ifndef TRACEPOINTS_CONDITIONS_RULE_SPLIT_H
#define TRACEPOINTS_CONDITIONS_RULE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/taffrail/site.h"

/*
 * The forms of a rule. Of several that a text has, the first one counts, so a
 * marker of a channel named fn is written "fn/NAME".
 */
enum rule_kind {
	RULE_FUNCTIONS,		/* fn:... */
	RULE_LINE,		/* FILE.EXT:LINE; behind the ':', a digit. Or
				 * FUNCTION:+LINES */
	RULE_MARKERS,		/* a glob over channel/name or channel:name */
};

enum rule_kind rule_kind(const char *rule);

/* Returns a sentence about a rule for functions that makes no sense; or
 * NULL. */
const char *rule_unknown(const char *rule);

/* Returns true when a rule of RULE_FUNCTIONS has no quotes, and in parentheses
 * nothing but "int": types, and as well parameters of C++. */
bool rule_has_parameters(const char *rule);
#define RULE_QUOTED	"types of arguments, or parameters of C++? fn:'f(int)' " \
			"means the function with these parameters, fn:'f'(int) " \
			"each f, whose argument is a number"

/*
 * Tells whether the glob of a rule of RULE_FUNCTIONS names a function:
 *
 *	fn:GLOB			of the modules that a program does not share
 *				with every other one (rule_is_runtime())
 *	fn:MODULE/GLOB		MODULE is a glob, too: "libssl" is libssl.so.3
 *
 * `module` has the names of the function's file: the last parts of the paths by
 * which it is known, with RULE_OR between them. NULL: not known, so it fits.
 * `name` is NAME, or NAME%return for the function's exits.
 * NAME is a symbol, or the name of C++; GLOB names a symbol also by the name of
 * C++, with the parameters or without, and may be in quotes. A static function
 * is also called "FILE.c:NAME". For one thread at a time.
 * A rule that ends in %entry or %return names only one of both.
 */
bool rule_names_function(const char *glob, const char *module,
			 const char *name);
#define RULE_OR		"|"	/* "redis-check-rdb|redis-server" */

/* Tells whether it has a MODULE. */
bool rule_has_module(const char *glob);

/* Returns true when a rule that names a function by two names means the
 * first: the one without a source file, without a leading underscore, the
 * shorter one, or that which comes first in the alphabet. */
bool rule_prefers(const char *name, const char *other);

/* Returns the name in the source for a symbol of C++ or Rust, else the symbol:
 * valid until the next name is asked for. For one thread at a time. */
const char *rule_shown_name(const char *symbol);

/* Returns true for libc's libraries and the dynamic linker, by the last part of
 * the path, or by the first of a module's names. */
bool rule_is_runtime(const char *module);

#define RULE_RETURN	"%return"	/* behind a function's name: an exit */

/* Of an event's id, "fn/SYMBOL%return", with the NUL; and the longest symbol,
 * with "FILE.c:" before it, whose function can be had. */
#define FUNCTION_ID_BYTES	1024
#define FUNCTION_SYMBOL_MOST	(FUNCTION_ID_BYTES - sizeof("fn/" RULE_RETURN))
#define RULE_ARGUMENTS_MAX 6		/* of a function, in registers */

/* Tells whether a rule for functions means returns alone. */
bool rule_names_returns(const char *glob);
/* Tells whether it means returns alone, or entries alone. */
bool rule_names_half(const char *glob);

/* Writes "channel:name" in the glob of a rule for markers as "channel/name", as
 * ids are. A glob that has a '/', or the ':' in a class, stays as it is. */
void rule_unify(char *rule);

/*
 * Returns the end of what begins at `p`: a quoted text, parentheses and what is
 * in them, or else one character, also a quote or parenthesis that nothing
 * closes. So a sign between rules in a list is found outside of both. The text
 * does not end at `p`.
 */
const char *rule_step(const char *p);

/*
 * Returns where the condition of a rule begins: after the first blank, "if",
 * and blanks or '('. If the rule ends there, the condition is empty. Returns
 * NULL when the rule has no condition. `glob_bytes` gets the length of the glob
 * before it, without types.
 */
const char *rule_condition(const char *rule, size_t *glob_bytes);

/* The arguments that must be strings. */
struct rule_types {
	uint32_t strings;		/* bit I: argument I + 1 is one */
	uint32_t count;			/* types, also empty ones; 0: no list */
	uint8_t lengths[TAFFRAIL_FIELDS_MAX];	/* number of the argument that
						 * has its length; 0: a NUL
						 * ends the string */
};

/*
 * Reads the types of arguments that a rule names. GLOB(str,,str:4) makes the
 * first and the third argument strings, the third one with the length in the
 * fourth; an empty type, or `int`, leaves the argument as it is. `end` gets the
 * end of the types, or of the glob if there are none. Returns 0, or -EINVAL: a
 * type is not known, there are too many, a length is no argument or a string
 * itself, or the ')' is missing.
 */
int rule_types(const char *rule, struct rule_types *types, const char **end);

#endif
