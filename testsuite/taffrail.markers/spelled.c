/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields whose names are keywords, have letters outside ASCII, or are given
 * within parentheses; a format with positions.
 */
#include <taffrail/marker.h>

struct record {
	int class;
	int new;
};

int main(void)
{
	struct record record = { 6, 7 };
	int class = 8;
	int größe = 5;

	TAFFRAIL_EVENT(app, keywords, TAFFRAIL_FIELD(class, 1),
		       TAFFRAIL_FIELD(int, 2), TAFFRAIL_FIELD(new, 3),
		       (TAFFRAIL_FIELD(inner, 4)));
	TAFFRAIL_EVENT(app, members, record.class, (&record)->new, class);
	TAFFRAIL_EVENT(app, letters, größe,
		       TAFFRAIL_FIELD(ä, 6));
	TAFFRAIL_MARK(app, places, "a %2$s b %1$d", 1, "two");
	return 0;
}
