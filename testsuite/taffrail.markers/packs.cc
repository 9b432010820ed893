/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Markers with more fields, or fewer, than their text has arguments. */
#include <taffrail/marker.h>

#define TWO	5, 6

template <class... A>
static void first(int z, A... a)
{
	TAFFRAIL_EVENT(app, first, a..., z);
}

template <class... A>
static void named(int z, A... a)
{
	TAFFRAIL_EVENT(app, named, a..., TAFFRAIL_FIELD(zz, z));
}

int main()
{
	int z = 9, y = 8;

	first(z, 1, 2.5);
	first(z);
	named(z, 1);
	TAFFRAIL_EVENT(app, macro, TWO, z, y);
	return 0;
}
