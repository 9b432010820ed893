/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library for modules.c: a marker in its constructor, in a function and in
 * its destructor; it loads others. With MANY: 128 sites of one marker, and with
 * MANY_ALL the function that calls sixteen times as many.
 */
#include <dlfcn.h>
#include <taffrail/marker.h>

#ifdef MANY

#define SITE		TAFFRAIL_EVENT(app, many, number); number++;
#define SITES_8		SITE SITE SITE SITE SITE SITE SITE SITE
#define SITES_64	SITES_8 SITES_8 SITES_8 SITES_8 \
			SITES_8 SITES_8 SITES_8 SITES_8

/* Not all in one function: that takes compilers too long, and so do all in one
 * file. The test makes sixteen of this object, each with another name. */
int many(int number);
int many(int number)
{
	SITES_64 SITES_64
	return number;
}

#elif defined(MANY_ALL)

#define EACH(m)	m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) m(10) \
		m(11) m(12) m(13) m(14) m(15)
#define DECLARE(n)	int many_##n(int number);
#define CALL(n)		number = many_##n(number);

EACH(DECLARE)

int modules_many(void)
{
	int number = 0;

	EACH(CALL)
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
