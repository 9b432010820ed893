/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A marker whose fields are constants and literals, in C and C++, with the
 * names that taffrail_marker(3) promises.
 */
#include <stdbool.h>
#include <taffrail/marker.h>

#define FLAG true
enum { FEW = 3 };

int main(void)
{
	static const bool yes = true;
	int n = 3;

	TAFFRAIL_EVENT(app, sent, TAFFRAIL_FIELD(last, (bool)true),
		       TAFFRAIL_FIELD(more, (bool)(n > 2)), yes, FLAG, FEW,
		       true, 5, "text", (bool)true);
	return 0;
}
