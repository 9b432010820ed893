/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of which some are larger than any sub-buffer: nine, seven of them too
 * large. The bytes of the last four are 2^64 and more.
 */
#include <taffrail/marker.h>

static char block[4 << 20];
static uint16_t u16[2];
static uint32_t u32[2];
static uint64_t u64[2];
static volatile uint64_t most = 1ull << 61;

int main(void)
{
	int i;

	for (i = 0; i < 5; i++)
		TAFFRAIL_EVENT(app, block, i,
			       TAFFRAIL_BYTES(block, i % 2 ? 16 :
							     sizeof(block)));
	TAFFRAIL_EVENT(app, halves, TAFFRAIL_ARRAY(u16, 4 * most));
	TAFFRAIL_EVENT(app, words, TAFFRAIL_ARRAY(u32, 2 * most + 1));
	TAFFRAIL_EVENT(app, longs, TAFFRAIL_ARRAY(u64, most));
	TAFFRAIL_EVENT(app, beside, i, TAFFRAIL_ARRAY(u64, most + 1));
	return 0;
}
