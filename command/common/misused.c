/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is wrong with an option, and what does that: the nearest word, other
 * sub-commands, or the place where a value stands.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "command/common/nearest.h"
#include "command/common/options-private.h"

/* A third of a word's letters may differ, and no more than these. */
#define NEAR_DISTANCE	2
#define NAMES_BYTES	160
#define NAMES_SHOWN	4

/* Options that users expect; each sub-command stands between blanks. */
static const struct {
	const char *commands, *letter, *word, *hint;
} habits[] = {
	{ " export ", "", "json", "give --format json" },
	{ " export ", "", "csv", "give --format csv" },
	{ " export ", "", "perfetto", "give --format perfetto" },
	{ " export ", "", "sqlite", "give --format sqlite" },
	{ " view ", "", "json", "taffrail export --format json does that" },
	{ " view ", "", "format", "taffrail export has it" },
	{ " view report top ", "o", "output",
	  "it prints to standard output, which the shell leads into a file: "
	  "> FILE" },
	{ " view report export timeline top ", "e", "event",
	  "give --where RULE" },
	{ " enable disable ", "e", "event",
	  "the rule stands behind the session's name" },
	{ " stop flush destroy ", "", "all",
	  "without -p, it is done in all processes" },
	{ " status start enable disable stop flush destroy snapshot ", "s",
	  "session", "the session's name stands without an option" },
	{ " start ", "o", "output", "taffrail snapshot NAME -o DIR writes the "
	  "trace" },
	{ NULL, NULL, NULL, NULL }
};

static void (*tell_options)(const struct command *command,
			    void (*take)(const struct options *options,
					 void *priv),
			    void *priv);

/* Sub-commands that have an option. */
struct owners {
	const char *letter;		/* "" or the option's letter */
	const char *word;		/* "" or its word */
	char names[NAMES_BYTES];
	int count;
};

static void add_owner(const struct options *options, void *priv)
{
	struct owners *owners = priv;
	size_t n = strlen(owners->names);

	for (const struct option_row *row = options->rows; row->key; row++) {
		if (!(row->key < 256 && row->key == *owners->letter) &&
		    !(row->word && !strcmp(row->word, owners->word)))
			continue;
		if (owners->count++ < NAMES_SHOWN)
			snprintf(owners->names + n, sizeof(owners->names) - n,
				 "%s%s", n ? ", " : "", options->argv[0]);
		return;
	}
}

/* Writes "; ..." about an option that this sub-command does not have. */
static void add_hint(const struct options *options, const char *letter,
		     const char *word, char *hint, size_t room)
{
	struct owners owners = { .letter = letter, .word = word };
	const char *name = options->argv[0];
	char between[32];

	snprintf(between, sizeof(between), " %s ", name);
	*hint = '\0';
	for (int i = 0; habits[i].hint; i++)
		if (strstr(habits[i].commands, between) &&
		    ((*letter && !strcmp(letter, habits[i].letter)) ||
		     !strcmp(word, habits[i].word))) {
			snprintf(hint, room, "; %s", habits[i].hint);
			return;
		}
	for (const struct command *c = command_rows(); c && c->word; c++)
		tell_options(c, add_owner, &owners);
	command_name(name);
	if (owners.count)
		snprintf(hint, room, "; sub-commands with it: %s%s",
			 owners.names,
			 owners.count > NAMES_SHOWN ? " and others" : "");
}

/* Returns true when one of the words begins as the other one, but for hyphens:
 * "buffersize" and "buffer-size", "events" and "event". */
static bool alike(const char *known, const char *typed)
{
	while (*known && *typed) {
		known += *known == '-';
		typed += *typed == '-';
		if (!*typed || *known != *typed)
			break;
		known++;
		typed++;
	}
	return !*known || !*typed;
}

static void take_near(const char *known, const char *typed, unsigned int *least,
		      const char **found)
{
	unsigned int distance = alike(known, typed) ? 0 :
				nearest_distance(typed, known);

	if (distance < *least) {
		*least = distance;
		*found = known;
	}
}

/* Returns the word of a row that is near to what was typed, or NULL. */
static const char *near(const struct options *options, const char *typed)
{
	size_t third = strlen(typed) / 3;
	unsigned int least = third < NEAR_DISTANCE ? third : NEAR_DISTANCE;
	const char *found = NULL;

	if (!least++)
		return NULL;
	for (const struct option_row *row = options->rows; row->key; row++)
		if (row->word)
			take_near(row->word, typed, &least, &found);
	take_near("help", typed, &least, &found);
	return found;
}

static int unknown_word(const struct options *options, const char *typed)
{
	char hint[NAMES_BYTES + 64];
	const char *found;

	add_hint(options, "", typed, hint, sizeof(hint));
	found = *hint ? NULL : near(options, typed);
	if (found)
		return command_misused("unknown option '--%s'; the nearest: "
				       "--%s", typed, found);
	return command_misused("unknown option '--%s'%s", typed, hint);
}

/* Prints what is wrong with an option of more than one letter. */
static int misused_word(const struct options *options, const char *typed)
{
	int n = (int)strcspn(typed + 2, "=");
	int like = !strncmp("help", typed + 2, n);
	bool whole = n == 4 && like;
	char word[64];

	for (const struct option_row *row = options->rows; row->key; row++)
		if (row->word && !strncmp(row->word, typed + 2, n)) {
			like++;
			whole |= !row->word[n];
		}
	snprintf(word, sizeof(word), "%.*s", n, typed + 2);
	if (!like)
		return unknown_word(options, word);
	if (like == 1 || whole)
		return command_misused("option '--%s' takes no argument", word);
	return command_misused("option '--%s' is ambiguous: %d options begin "
			       "so", word, like);
}

/* Returns the word of an option that getopt has just refused. It is the word
 * before options->index, unless letters of that word are left. */
static const char *refused_word(const struct options *options, int letter)
{
	const char *before = options->argv[options->index - 1];
	const char short_form[] = { '-', (char)letter, '\0' };

	if (!strncmp(before, "--", 2) || !strcmp(before, short_form) ||
	    options->index >= options->argc)
		return before;
	return options->argv[options->index];
}

/* Returns how many bytes of the shape name operands that are needed: "PID LIB"
 * of "PID LIB [WORD]...". */
static int needed_bytes(const char *shape)
{
	size_t n = strcspn(shape, ".[");

	return (int)(n && shape[n - 1] == ' ' ? n - 1 : n);
}

int options_misused(const struct options *options, int key, int letter,
		    void (*tell)(const struct command *command,
				 void (*take)(const struct options *options,
					      void *priv),
				 void *priv))
{
	const char *typed = options->argv[options->index - 1];
	const char letters[] = { (char)letter, '\0' };
	const char *shape = options->shape, *refused;
	char hint[NAMES_BYTES + 64];

	tell_options = tell;
	if (key == ':')
		return command_misused("option '%s' needs an argument", typed);
	if ((letter == 'p' || !strcmp(typed, "--pid")) && shape &&
	    !strncmp(shape, "PID", 3))
		return command_misused("there is no option -p: give PID alone, "
				       "as in: taffrail %s %.*s",
				       options->argv[0], needed_bytes(shape),
				       shape);
	refused = refused_word(options, letter);
	if (options->behind)
		return command_misused("unknown option '%s'; %s's options go "
				       "behind --, as in: taffrail %s -p PID "
				       "-- %s", refused, options->behind,
				       options->argv[0], refused);
	if (!letter || letter >= 256 || !strncmp(typed, "--", 2))
		return misused_word(options, typed);
	add_hint(options, letters, "", hint, sizeof(hint));
	return command_misused("unknown option '-%s'%s", letters, hint);
}
