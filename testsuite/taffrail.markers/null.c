/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Strings that are NULL: no precision cuts their "(null)", and %p is 0. Each
 * marker is hit with NULL, then with a string, then with an array of three
 * characters that has no NUL. C and C++.
 */
#include <stddef.h>
#include <taffrail/marker.h>

static const char raw[3] = { 'r', 'a', 'w' };

static void hit(const char *s, int most)
{
	TAFFRAIL_MARK(app, fixed, "s %.3s", s);
	TAFFRAIL_MARK(app, none, "s %.0s", s);
	TAFFRAIL_MARK(app, given, "id %d s %.*s", 7, most, s);
	TAFFRAIL_MARK(app, address, "p %p", s);
}

int main(void)
{
	hit(NULL, 2);
	hit("(nullified)", 2);
	hit(raw, 3);
	TAFFRAIL_EVENT(app, typed, TAFFRAIL_FIELD(s, (const char *)NULL),
		       TAFFRAIL_FIELD(t, TAFFRAIL_STR(NULL)));
	return 0;
}
