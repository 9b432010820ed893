/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Variables that hold a word. Where the agent does not know the word, it keeps
 * the default and says so; the command warns of the environment that it runs
 * in.
 *
 * Invariant: this list has exactly the words that the agent compares
 * with.
 */
#include "buffers/words.h"

#include <stdbool.h>

#include "base/base.h"
#include "base/text.h"

#define BETWEEN	" to "

/* Words end with ", " or the list. Brackets stand for a part that may follow:
 * "error[:FILE]" a text, "trust[:N]" a number. Or the list is "N to N", and the
 * word a number between these. */
static const struct {
	const char *name;
	const char *words;
} variables[WORDS_VARIABLES] = {
	{ "TAFFRAIL_SERVICE", "demand, thread, signal, off" },
	{ "TAFFRAIL_CLOCK", "tsc, monotonic, atomic" },
	{ "TAFFRAIL_GDB", "on, off" },
	{ "TAFFRAIL_IPA", "on, off, filter" },
	{ "TAFFRAIL_CORE", "on, off" },
	{ "TAFFRAIL_INT3", "on, off" },
	{ "TAFFRAIL_LOAD", "on, off" },
	{ "TAFFRAIL_LOG", "error[:FILE], warning[:FILE], info[:FILE], "
			  "debug[:FILE]" },
	{ "TAFFRAIL_SECCOMP", "trust[:N]" },
	{ "TAFFRAIL_SIGNAL", "34" BETWEEN "64" },
	{ "TAFFRAIL_IDLE", "10" BETWEEN "60000" },
};

/* Returns true when the text behind the word fits the list's entry. */
SIGSAFE static bool rest_fits(const char *rest, const char *entry)
{
	if (!*rest)
		return true;
	if (*entry != '[' || *rest++ != ':')
		return false;
	return entry[2] != 'N' || (text_number(&rest) >= 0 && !*rest);
}

SIGSAFE static bool number_listed(const char *value, const char *list)
{
	int64_t least = text_number(&list);
	int64_t most;
	int64_t number = text_number(&value);

	list += sizeof(BETWEEN) - 1;
	most = text_number(&list);
	return number >= least && number <= most && !*value;
}

SIGSAFE static bool word_listed(const char *value, const char *list)
{
	const char *rest;

	if (*list >= '0' && *list <= '9')
		return number_listed(value, list);
	for (;;) {
		for (rest = value; *list && *rest == *list; list++)
			rest++;
		if ((!*list || *list == ',' || *list == '[') &&
		    rest_fits(rest, list))
			return true;
		while (*list && *list != ' ')
			list++;
		if (!*list)
			return false;
		list++;
	}
}

/* Of several variables of one name the last counts, as in the agent's
 * settings. */
SIGSAFE uint32_t words_unknown(char *const *environment)
{
	uint32_t unknown = 0;
	const char *value;

	for (; environment && *environment; environment++) {
		if (!text_after(*environment, "TAFFRAIL_"))
			continue;
		for (uint32_t i = 0; i < ARRAY_SIZE(variables); i++) {
			value = text_after(*environment, variables[i].name);
			if (!value || *value++ != '=')
				continue;
			unknown &= ~(1u << i);
			if (*value && !word_listed(value, variables[i].words))
				unknown |= 1u << i;
		}
	}
	return unknown;
}

const char *words_name(int variable)
{
	return variables[variable].name;
}

const char *words_list(int variable)
{
	return variables[variable].words;
}
