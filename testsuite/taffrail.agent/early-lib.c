/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library of early.cc: its constructor runs before the program's. */
#include <taffrail/marker.h>

static void hit(const char *who)
{
	int n = 0;

	TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
}

__attribute__((constructor(101))) static void first(void)
{
	hit("library-101");
}

__attribute__((destructor(101))) static void last(void)
{
	hit("library-end");
}

int early_lib(void)
{
	hit("library");
	return 0;
}
