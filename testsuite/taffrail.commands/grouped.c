/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers that belong to a value.
 *
 *	grouped N	N answers, whose code is one of three; each is sent
 *			between a begin and an end
 *	grouped wide N	numbers of 64 bits
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <taffrail/marker.h>

static void answer_query(long i)
{
	static const int codes[] = { 200, 404, 500 };
	static const char *const peers[] = { "near", "far" };
	const char *peer = peers[i % 7 == 0];
	int code = codes[i % 3];
	int32_t spent = (int32_t)(i * (code == 404 ? 100 : 1));

	TAFFRAIL_EVENT(app, send_begin, code, TAFFRAIL_FIELD(id, i / 2));
	TAFFRAIL_EVENT(app, sent, code, peer, TAFFRAIL_FIELD(id, i / 2),
		       TAFFRAIL_FIELD(size, i),
		       TAFFRAIL_FIELD(change, (int)(i % 201 - 100)),
		       TAFFRAIL_FIELD(ratio, (double)i / 8),
		       TAFFRAIL_DURATION(spent, us));
	/* a pair has the value of its begin */
	TAFFRAIL_EVENT(app, send_end, TAFFRAIL_FIELD(id, -1L));
	TAFFRAIL_EVENT(app, alone, TAFFRAIL_FIELD(single, i));
}

int main(int argc, char **argv)
{
	bool wide = argc > 2;
	long n = argc > 1 ? atol(argv[argc - 1]) : 1;

	for (long i = 0; i < n; i++)
		if (wide)
			TAFFRAIL_EVENT(app, wide, TAFFRAIL_FIELD(key, i % 4),
				       TAFFRAIL_FIELD(number, UINT64_MAX -
						      (uint64_t)(i * i * i)));
		else
			answer_query(i);
	return 0;
}
