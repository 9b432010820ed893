/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts and durations in sentences. See counted.h.
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

void counted_duration(char *text, size_t room, long double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	long double size = ns < 0 ? -ns : ns;
	unsigned int unit = 0;
	int digits;

	/* a number that rounds to 1000 is 1 of the next unit */
	for (; unit < 3 && size >= (unit ? 999.5L : 1000); unit++) {
		size /= 1000;
		ns /= 1000;
	}
	digits = !unit ? 0 : size < 9.995L ? 2 : size < 99.95L ? 1 : 0;
	snprintf(text, room, "%.*Lf %s", digits, ns, units[unit]);
}
