/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts in sentences. See counted.h.
 */
#include "command/common/counted.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TEXTS		8
#define TEXT_BYTES	64

/* Returns the ending of the plural of a noun, and how many letters go before
 * that. */
static const char *plural_ending(const char *noun, size_t *drop)
{
	size_t n = strlen(noun);

	*drop = n > 1 && noun[n - 1] == 'y' && !strchr("aeiou", noun[n - 2]);
	if (*drop)
		return "ies";
	return n && strchr("sxz", noun[n - 1]) ? "es" : "s";
}

const char *counted(uint64_t count, const char *noun)
{
	static char texts[TEXTS][TEXT_BYTES];
	static unsigned int next;
	char *text = texts[next++ % TEXTS];
	size_t drop;
	const char *end = plural_ending(noun, &drop);

	if (count == 1)
		snprintf(text, TEXT_BYTES, "1 %s", noun);
	else
		snprintf(text, TEXT_BYTES, "%" PRIu64 " %.*s%s", count,
			 (int)(strlen(noun) - drop), noun, end);
	return text;
}
