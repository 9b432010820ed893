/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library for modules.c: a marker in its constructor, in a function and in
 * its destructor; it loads others. With MANY: 2048 sites of one marker.
 */
#include <dlfcn.h>
#include <taffrail/marker.h>

#ifdef MANY

#define SITE		TAFFRAIL_EVENT(app, many, number); number++;
#define SITES_8		SITE SITE SITE SITE SITE SITE SITE SITE
#define SITES_64	SITES_8 SITES_8 SITES_8 SITES_8 \
			SITES_8 SITES_8 SITES_8 SITES_8

/* Not all in one function: that takes compilers too long. */
#define FUNCTION(name)	static int name(int number) { SITES_64 SITES_64 \
						      return number; }
FUNCTION(many_0)
FUNCTION(many_1)
FUNCTION(many_2)
FUNCTION(many_3)
FUNCTION(many_4)
FUNCTION(many_5)
FUNCTION(many_6)
FUNCTION(many_7)
FUNCTION(many_8)
FUNCTION(many_9)
FUNCTION(many_10)
FUNCTION(many_11)
FUNCTION(many_12)
FUNCTION(many_13)
FUNCTION(many_14)
FUNCTION(many_15)

int modules_many(void)
{
	static int (*const functions[])(int) = {
		many_0, many_1, many_2, many_3, many_4, many_5, many_6, many_7,
		many_8, many_9, many_10, many_11, many_12, many_13, many_14,
		many_15,
	};
	int number = 0;
	int i;

	for (i = 0; i < 16; i++)
		number = functions[i](number);
	return number != 2048;
}

#else

void modules_hit(const char *who, int n)
{
	TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
}

__attribute__((constructor)) static void come(void)
{
	TAFFRAIL_EVENT(app, come);
}

void *modules_ask(const char *name)
{
	return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

__attribute__((destructor)) static void go(void)
{
	TAFFRAIL_EVENT(app, go);
}

#endif
