/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events from before main: the constructor with the highest priority there
 * is, of the program and of a library (early-lib.c), and the initialisation
 * of an object. And from after main: destructors.
 */
#include <taffrail/marker.h>

static void hit(const char *who)
{
	int n = 0;

	TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
}

__attribute__((constructor(101))) static void first()
{
	hit("program-101");
}

struct early {
	early() { hit("object"); }
	~early() { hit("object-end"); }
};

static early object;
extern "C" int early_lib(void);

__attribute__((destructor(101))) static void last()
{
	hit("program-end");
}

int main()
{
	hit("main");
	return early_lib();
}
