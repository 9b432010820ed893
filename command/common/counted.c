/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts in sentences. See counted.h.
 */
#include "command/common/counted.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TEXTS		8
#define TEXT_BYTES	64

const char *counted(uint64_t count, const char *noun)
{
	static char texts[TEXTS][TEXT_BYTES];
	static unsigned int next;
	char *text = texts[next++ % TEXTS];
	size_t n = strlen(noun);
	/* "entry" is "entries", "key" is "keys", "box" is "boxes" */
	bool ies = n > 1 && noun[n - 1] == 'y' && !strchr("aeiou", noun[n - 2]);

	if (count == 1)
		snprintf(text, TEXT_BYTES, "1 %s", noun);
	else
		snprintf(text, TEXT_BYTES, "%" PRIu64 " %.*s%s", count,
			 (int)(n - ies), noun, ies ? "ies" :
			 n && strchr("sxz", noun[n - 1]) ? "es" : "s");
	return text;
}
