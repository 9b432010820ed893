/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A thousand rounds of events with fields of every kind, for rules with
 * conditions to choose from. Two markers share a name and differ in fields.
 */
#include <stdio.h>
#include <taffrail/marker.h>

struct reply {
	unsigned long bytes;
	short code;
};

int main(void)
{
	static const char *const urls[] = { "/index", "/x/a", "/x/b", NULL };

	for (int i = 0; i < 1000; i++) {
		struct reply reply = { ~0ul - (unsigned long)i,
				       (short)(i % 7 - 3) };
		const char *url = urls[i % 4];

		TAFFRAIL_EVENT(app, request, i, url);
		TAFFRAIL_EVENT(app, reply, reply.bytes, reply.code,
			       TAFFRAIL_FIELD(ms, i / 8.0));
		TAFFRAIL_EVENT(app, shared, i);
		TAFFRAIL_EVENT(app, shared, url);
		TAFFRAIL_MARK(app, mark, "id %d of %.2s", i, "abc");
	}
	puts("done");
	return 0;
}
