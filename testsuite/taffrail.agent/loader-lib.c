/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What loader.c loads.
 */
#include <taffrail/marker.h>

void library_hit(int count);

void library_hit(int count)
{
	for (int n = 0; n < count; n++)
		TAFFRAIL_EVENT(app, library, n);
}
