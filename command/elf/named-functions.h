/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which functions rules fn:GLOB name: how many, before they are traced, and
 * which are meant by a rule that names none.
 */
#ifndef COMMAND_ELF_NAMED_FUNCTIONS_H
#define COMMAND_ELF_NAMED_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tracepoints/conditions/expr.h"

/* Where the functions are looked for: in the processes, in a program that has
 * not begun, or NULL, and its libraries (program-functions.c), or in files. */
struct named_in {
	const pid_t *pids;
	size_t npids;
	const char *program;
	char *const *arguments;	/* of the program, or NULL: they may name
				 * others that it executes */
	bool given;		/* by -p: one that rules do not meet is told */
	char *const *files;
	size_t nfiles;
};

/*
 * Asks before rules take more functions of one process than 1,000: on the
 * terminal, or else by --yes (`yes`); and compiles rules for source lines
 * (line-rules.h). Other rules are left alone. Returns COMMAND_DONE, or
 * COMMAND_FAILED after printing how many they are, or why a line cannot be
 * had.
 */
int functions_consent(const char *const *rules, int count,
		      const struct named_in *in, bool yes);

/* Writes which of two meanings a rule may have that rule_has_parameters() is
 * true of, with the rules for both. */
#define QUOTED_BYTES	768
void function_quoted(char *text, size_t room, const char *rule);

/* Returns "value", or one of "arg1" to "arg6" (`arguments`), where the condition
 * of a rule for functions needs its sign; or NULL, as for those of libc, which
 * the agent knows. */
const char *functions_signed(const char *rule, bool arguments);

/* Returns whether the condition of a rule for functions, or NULL, makes it one
 * for whole calls. */
static inline bool condition_is_whole(const char *condition)
{
	return condition && (expr_names(condition, "duration") ||
			     expr_names(condition, "depth"));
}

/* Returns whether a rule for whole calls that met none names a function there,
 * and NOT_WHOLE is the reason. */
bool functions_never_whole(const char *rule, const struct named_in *in);
#define FUNCTIONS_NOT_WHOLE \
	"is one of whole calls: a later rule decides, or its function never " \
	"returns"

/* Returns whether a rule names a function there. */
bool functions_named(const char *rule, const struct named_in *in);

/* Writes "A, B or C", functions with names near to that of a rule; or, where the
 * rule has a module that is not there, "modules A, B or C". "": no functions
 * are known. */
void functions_nearest(const char *rule, const struct named_in *in, char *text,
		       size_t room);

#endif
