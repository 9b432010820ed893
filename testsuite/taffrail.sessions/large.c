/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of which some are larger than any sub-buffer: five, three of them too
 * large.
 */
#include <taffrail/marker.h>

static char block[4 << 20];

int main(void)
{
	int i;

	for (i = 0; i < 5; i++)
		TAFFRAIL_EVENT(app, block, i,
			       TAFFRAIL_BYTES(block, i % 2 ? 16 :
							     sizeof(block)));
	return 0;
}
