/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers at the ends of their types. For each line of its input, "s N", "u N"
 * or "r N", writes the event app/s, app/u or app/r with the number in a field
 * that has the same name.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <taffrail/marker.h>

int main(void)
{
	char type, text[64];

	while (scanf(" %c %63s", &type, text) == 2) {
		int64_t s = strtoll(text, NULL, 10);
		uint64_t u = strtoull(text, NULL, 10);
		double r = strtod(text, NULL);

		if (type == 's')
			TAFFRAIL_EVENT(app, s, s);
		else if (type == 'u')
			TAFFRAIL_EVENT(app, u, u);
		else
			TAFFRAIL_EVENT(app, r, r);
	}
	return 0;
}
