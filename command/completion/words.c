/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decides which words may stand at the cursor: the sub-command's rows give the
 * options and their arguments, the usage gives the operands.
 *
 * Invariant: nothing here knows an option or a sub-command that the parser does
 * not know: a new row is completed without a change here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/common/command.h"
#include "command/completion/private.h"
#include "traces/pairs/histogram.h"

#define OPERAND_BYTES	32

/* The position of the cursor among the words of a sub-command; the last word is
 * being typed. */
struct cursor {
	char **words;
	int count;
	const struct command *command;
	const struct options *options;
	const struct option_row *value_of;	/* or NULL */
	int operands;				/* number before the cursor */
	bool behind;				/* "--" is before the cursor */
	struct proposal proposal;
};

/* Proposes contexts: one or more, with commas. The words before the last comma
 * stay in front of each proposal. */
static void propose_contexts(const struct proposal *p)
{
	const char *comma = strrchr(p->prefix, ',');
	struct proposal next = *p;
	char *before = NULL;

	if (comma) {
		before = strndup(p->prefix, comma + 1 - p->prefix);
		if (!before)
			return;
		next.before = before;
	}
	for (int i = 0; command_context(i); i++)
		if (!comma || strcmp(command_context(i), "writer"))
			propose(&next, command_context(i), NULL);
	if (!comma)
		propose(p, "none", NULL);
	free(before);
}

/* Proposes the values of --sort. */
static void propose_figures(const struct proposal *p)
{
	for (unsigned int i = 0; histogram_word(i); i++)
		propose(p, histogram_word(i), NULL);
}

static void propose_owners(const struct proposal *p)
{
	propose(p, "process", "each process has buffers");
	propose(p, "shared", "all processes have the same");
}

/*
 * Proposals for an argument, by the name in the help text. A row with `of` is
 * for that sub-command or option only, and comes first. Each row has a
 * function, a word, or a request to the shell.
 */
static const struct {
	const char *of;
	const char *argument;
	void (*call)(const struct proposal *p);
	const char *word;
} kinds[] = {
	{ "functions", "GLOB", propose_functions, NULL },
	{ "start", "NAME", NULL, NULL },
	{ "provider", "NAME", NULL, "pthread" },
	{ "field", "NAME", NULL, NULL },
	{ "sort", "WORD", propose_figures, NULL },
	{ "buffers", "OWNER", propose_owners, NULL },
	{ "attach", "PID", propose_processes, NULL },
	{ "doctor", "PID", propose_processes, NULL },
	{ "gdb", "PID", propose_processes, NULL },
	{ "record", "PID", propose_processes, NULL },
	{ NULL, "PID", propose_agents, NULL },
	{ NULL, "NAME", propose_sessions, NULL },
	{ NULL, "RULE", propose_markers, NULL },
	{ NULL, "LIST", propose_contexts, NULL },
	{ NULL, "SHELL", propose_shells, NULL },
	{ "list", "FILE", propose_files, NULL },
	{ NULL, "FILE", NULL, ":files" },
	{ NULL, "ARGS", NULL, ":files" },
	{ NULL, "GDB-ARGUMENTS", NULL, ":files" },
	{ NULL, "DIR", NULL, ":directories" },
	{ NULL, "PROG", NULL, ":programs" },
	{ NULL, "GROUP", NULL, ":groups" },
};

/* Proposes values for an argument, of c->value_of or of the sub-command;
 * nothing for one that has no row. */
static void propose_argument(const struct cursor *c, const char *argument)
{
	const char *option = c->value_of ? c->value_of->word : "";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].argument, argument) ||
		    (kinds[i].of && strcmp(kinds[i].of, option) &&
		     strcmp(kinds[i].of, c->command->word)))
			continue;
		if (kinds[i].call)
			kinds[i].call(&c->proposal);
		else if (kinds[i].word && kinds[i].word[0] == ':')
			puts(kinds[i].word);
		else if (kinds[i].word)
			propose(&c->proposal, kinds[i].word, NULL);
		return;
	}
}

/* Finds the row of "-p", "--pid", "--pid=VALUE" or "-pVALUE"; sets `value` to
 * the value in the word, or NULL. Returns NULL for an option without a row;
 * then `value` is not set. */
static const struct option_row *find_row(const struct options *options,
					 const char *word, const char **value)
{
	size_t n = strcspn(word, "=");

	for (const struct option_row *row = options->rows; row->key; row++) {
		if (word[1] != '-' && option_letter(row) == word[1]) {
			*value = word[2] ? word + 2 : NULL;
			return row;
		}
		if (word[1] == '-' && row->word && n > 2 &&
		    strlen(row->word) == n - 2 &&
		    !strncmp(row->word, word + 2, n - 2)) {
			*value = word[n] ? word + n + 1 : NULL;
			return row;
		}
	}
	return NULL;
}

/* Takes a value before the cursor into account: a process limits the sessions
 * and markers that are proposed. */
static void take_value(struct cursor *c, const struct option_row *row,
		       const char *value)
{
	if (option_letter(row) == 'p')
		command_parse_pid(&c->proposal.pid, value);
}

/* Reads the next word of a usage text, without brackets and dots; `repeated` is
 * set by the dots. Returns false at the end of the first line. */
static bool next_token(const char **shape, char token[OPERAND_BYTES],
		       bool *repeated)
{
	size_t n;

	*shape += strspn(*shape, " ()[]|");
	n = strcspn(*shape, " ()[]|\n");
	if (!n || n >= OPERAND_BYTES)
		return false;
	memcpy(token, *shape, n);
	token[n] = '\0';
	*shape += n;
	*repeated = n > 3 && !strcmp(token + n - 3, "...");
	if (*repeated)
		token[n - 3] = '\0';
	return true;
}

/* Finds the name of operand N in the usage text, from 0 on; the last one may
 * stand for all that follow. Returns false when there is none. */
static bool find_operand(const struct options *options, int n,
			 char token[OPERAND_BYTES])
{
	const char *shape = options->shape ? options->shape : "";
	const struct option_row *row;
	const char *value;
	bool repeated;

	while (next_token(&shape, token, &repeated)) {
		if (token[0] == '-') {
			row = token[1] && strcmp(token, "--") ?
			      find_row(options, token, &value) : NULL;
			if (row && row->argument)
				next_token(&shape, token, &repeated);
		} else if (!n-- || repeated) {
			return true;
		}
	}
	return false;
}

/* Proposes the options that the help text has. */
static void propose_options(const struct cursor *c)
{
	char word[64];

	for (const struct option_row *row = c->options->rows; row->key; row++) {
		/* options for scripts and tests have no help */
		if (!row->help)
			continue;
		snprintf(word, sizeof(word), "-%c", option_letter(row));
		if (option_letter(row))
			propose(&c->proposal, word, row->help);
		snprintf(word, sizeof(word), "--%s", row->word);
		if (row->word)
			propose(&c->proposal, word, row->help);
	}
	propose(&c->proposal, "--help", "print this");
}

/* Completes a word of a sub-command; `priv` is the cursor, with the words. */
static void complete_options(const struct options *options, void *priv)
{
	struct cursor *c = priv;
	const struct option_row *row;
	const char *prefix = c->proposal.prefix, *value = NULL;
	char operand[OPERAND_BYTES], *before;

	c->options = options;
	for (int i = 0; i + 1 < c->count; i++) {
		const char *word = c->words[i];

		if (c->value_of) {
			take_value(c, c->value_of, word);
			c->value_of = NULL;
		} else if (c->behind || word[0] != '-' || !word[1]) {
			if (find_operand(options, c->operands++, operand) &&
			    !strcmp(operand, "FILE"))
				c->proposal.file = word;
			/* options behind a program are the program's */
			c->behind |= options->stop_early;
		} else if (!strcmp(word, "--")) {
			c->behind = true;
		} else {
			row = find_row(options, word, &value);
			if (row && row->argument && value)
				take_value(c, row, value);
			else if (row && row->argument)
				c->value_of = row;
		}
	}
	/* the value of the option before; else an option; else an operand */
	if (c->value_of) {
		propose_argument(c, c->value_of->argument);
	} else if (!c->behind && prefix[0] == '-') {
		row = strncmp(prefix, "--", 2) ? NULL :
		      find_row(options, prefix, &value);
		if (!row || !row->argument || !value) {
			propose_options(c);
			return;
		}
		/* the value of an option in the same word: "--event=app/" */
		before = strndup(prefix, value - prefix);
		if (!before)
			return;
		c->value_of = row;
		c->proposal.before = before;
		propose_argument(c, row->argument);
		free(before);
	} else if (find_operand(options, c->operands, operand)) {
		propose_argument(c, operand);
	} else if (!c->behind) {
		propose_options(c);
	}
}

/* With one word, completes the sub-command; else asks the sub-command for the
 * options that it would parse (options_tell()). */
void complete_words(int count, char **words, const char *program)
{
	static char empty[] = "";
	struct proposal p = { .before = "", .program = program };
	int n = 0;

	/* bash makes three words of "--pid=1" */
	for (int i = 0; i < count; i++)
		if (!i || strcmp(words[i], "="))
			words[n++] = words[i];
		else if (i + 1 == count)
			words[n++] = empty;
	if (n < 1)
		return;
	p.prefix = words[n - 1];
	/* "taffrail" itself has no row: the sub-commands, or one's words */
	for (const struct command *c = command_rows(); c->word; c++) {
		struct cursor cursor = {
			.words = words + 1, .count = n - 1, .command = c,
			.proposal = p,
		};

		if (n == 1)
			propose(&p, c->word, c->help);
		else if (!strcmp(c->word, words[0]))
			options_tell(c, complete_options, &cursor);
	}
	if (n > 1)
		return;
	propose(&p, "--help", "print the sub-commands");
	propose(&p, "--version", "print the version");
}
