/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library with a marker, which storm.c loads and unloads. */
#include <taffrail/marker.h>

int storm_number(int n);

int storm_number(int n)
{
	TAFFRAIL_EVENT(app, library, n);
	return n + 1;
}
