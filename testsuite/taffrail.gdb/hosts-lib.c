/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The library that hosts.c loads and unloads.
 */
#include <taffrail/marker.h>

void plugged(long n);

void plugged(long n)
{
	if (TAFFRAIL_ENABLED(app, plugged))
		TAFFRAIL_EVENT(app, plugged, n);
}
