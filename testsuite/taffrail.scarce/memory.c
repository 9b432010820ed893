/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes three events.
 */
#include <taffrail/marker.h>

int main(void)
{
	int n;

	for (n = 0; n < 3; n++)
		TAFFRAIL_EVENT(app, hit, n);
	return 0;
}
