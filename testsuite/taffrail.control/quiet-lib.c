/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library with a marker, which a program loads and unloads.
 */
#include <taffrail/marker.h>

int quiet_hit(int n)
{
	TAFFRAIL_EVENT(app, library, n);
	return n;
}
