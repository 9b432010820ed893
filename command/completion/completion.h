/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail completion: what a shell proposes for the word that is being typed.
 * The shells' scripts only ask; the answer is made here, out of the rows that
 * are parsed.
 *
 * What must stay true here: nothing is printed but proposals, so that a
 * shell shows no error in the middle of a command line.
 */
#ifndef COMMAND_COMPLETION_COMPLETION_H
#define COMMAND_COMPLETION_COMPLETION_H

#include <sys/types.h>

/* What is proposed for one word. */
struct proposal {
	const char *prefix;	/* what has been typed of the word */
	const char *before;	/* stands before each: "--event=", "vtid," */
	pid_t pid;		/* markers and sessions of it; 0: of all */
};

/*
 * Prints "BEFORE WORD", a tab and the text, unless the word does not begin with
 * the prefix, `before` included. `text` may be NULL.
 */
void propose(const struct proposal *p, const char *word, const char *text);

/* Each calls propose() for what there is at this moment. */
void propose_sessions(const struct proposal *p);
void propose_markers(const struct proposal *p);
/* Processes with an agent. */
void propose_agents(const struct proposal *p);
/* All processes of the user. */
void propose_processes(const struct proposal *p);

/* The script for a shell ("bash"), or NULL. */
const char *completion_script(const char *shell);

/* The shells that have a script, from 0 on; then NULL. */
const char *completion_shell(int i);

/* Proposes for the last of the words behind "taffrail". */
void complete_words(int count, char **words);

#endif
