/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses lengths of time. See duration.h.
 *
 * Invariant: numbers are integers all the way, so a nanosecond is not lost in a
 * long time.
 */
#include "command/common/duration.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S	1000000000ll
#define NS_MOST		9000000000000000000ull

int duration_fraction(const char **at, int64_t unit, int64_t *ns)
{
	int64_t part = 0, scale = 1;

	if (**at != '.')
		return 0;
	if (!isdigit((unsigned char)*++*at))
		return -EINVAL;
	for (; isdigit((unsigned char)**at); (*at)++) {
		if (scale == NS_PER_S)
			continue;
		part = part * 10 + **at - '0';
		scale *= 10;
	}
	*ns += (int64_t)((__int128)part * unit / scale);
	return 0;
}

int duration_parse(int64_t *ns, const char *text)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = { { "", NS_PER_S }, { "s", NS_PER_S }, { "ms", 1000000 },
		      { "us", 1000 }, { "ns", 1 }, { "m", 60 * NS_PER_S },
		      { "min", 60 * NS_PER_S }, { "h", 3600 * NS_PER_S } };
	const char *name = text + strspn(text, "0123456789.");
	unsigned long long whole = 0;
	int64_t unit = 0;
	char *end;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(name, units[i].name))
			unit = units[i].ns;
	/* ".5", too */
	if (!unit || !isdigit((unsigned char)text[*text == '.']))
		return -EINVAL;
	if (*text != '.') {
		errno = 0;
		whole = strtoull(text, &end, 10);
		if (errno || whole > NS_MOST / (uint64_t)unit)
			return -EINVAL;
		text = end;
	}
	*ns = (int64_t)whole * unit;
	/* not where there is a second point */
	return duration_fraction(&text, unit, ns) || text != name ? -EINVAL : 0;
}
