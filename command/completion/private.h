/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail completion: proposes words for the word that the user is typing. The
 * shells' scripts only ask; the answer is made here, from the rows that are
 * parsed.
 *
 * Invariant: only proposals are printed, so a shell shows no
 * error in the middle of a command line.
 */
#ifndef COMMAND_COMPLETION_PRIVATE_H
#define COMMAND_COMPLETION_PRIVATE_H

#include <sys/types.h>

/* The word to complete, and the text around it. */
struct proposal {
	const char *prefix;	/* the typed part of the word */
	const char *before;	/* put before each: "--event=", "vtid," */
	pid_t pid;		/* with the markers and sessions; 0: any */
	const char *program;	/* with the functions, behind the cursor; or
				 * NULL */
	const char *file;	/* the same, before the cursor, alone */
};

/*
 * present.c: prints "BEFORE WORD", a tab and the text, unless the word does not
 * begin with the prefix, `before` included. `text` may be NULL.
 */
void propose(const struct proposal *p, const char *word, const char *text);

/* present.c: each calls propose() for each session or marker of this moment,
 * once; those of p->pid alone where that is set. */
void propose_sessions(const struct proposal *p);
void propose_markers(const struct proposal *p);

/* present.c: proposes rules fn:GLOB; else the shell proposes files. */
void propose_files(const struct proposal *p);

/* present.c: proposes functions, "NAME" and "MODULE/NAME". */
void propose_functions(const struct proposal *p);

/* present.c: propose the processes with an agent, or every process of the user,
 * by their numbers, with their names. */
void propose_agents(const struct proposal *p);
void propose_processes(const struct proposal *p);

/* scripts.c: returns the script for a shell ("bash"), or NULL. */
const char *completion_script(const char *shell);

/* scripts.c: proposes the shells that have a script. */
void propose_shells(const struct proposal *p);

/* words.c: completes the last of the words that follow "taffrail". Changes the
 * array: bash splits words at "=". `program` follows "--" behind the cursor; or
 * NULL. */
void complete_words(int count, char **words, const char *program);

#endif
