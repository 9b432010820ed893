/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers with field names that readers of CTF may take for the same.
 */
#include <taffrail/marker.h>

int main(void)
{
	static const char bytes[] = "ab";
	int y = 1;

	TAFFRAIL_EVENT(app, behind, TAFFRAIL_FIELD(_y, y),
		       TAFFRAIL_FIELD(y, y + 1));
	TAFFRAIL_EVENT(app, before, TAFFRAIL_FIELD(y, y),
		       TAFFRAIL_FIELD(_y, y + 1));
	TAFFRAIL_EVENT(app, three, TAFFRAIL_FIELD(__y, y),
		       TAFFRAIL_FIELD(_y, y + 1), TAFFRAIL_FIELD(y, y + 2));
	TAFFRAIL_EVENT(app, length,
		       TAFFRAIL_FIELD(body, TAFFRAIL_BYTES(bytes, 2)),
		       TAFFRAIL_FIELD(body_length, y + 2));
	TAFFRAIL_EVENT(app, twice, TAFFRAIL_FIELD(y, y),
		       TAFFRAIL_FIELD(y, y + 1));
	return 0;
}
