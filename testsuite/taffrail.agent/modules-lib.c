/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library for modules.c: a marker in its constructor, in a function and in
 * its destructor. With MANY: 4096 sites of one marker.
 */
#include <taffrail/marker.h>

#ifdef MANY

#define SITE		TAFFRAIL_EVENT(app, many, number); number++;
#define SITES_8		SITE SITE SITE SITE SITE SITE SITE SITE
#define SITES_64	SITES_8 SITES_8 SITES_8 SITES_8 \
			SITES_8 SITES_8 SITES_8 SITES_8
#define SITES_512	SITES_64 SITES_64 SITES_64 SITES_64 \
			SITES_64 SITES_64 SITES_64 SITES_64
#define SITES_4096	SITES_512 SITES_512 SITES_512 SITES_512 \
			SITES_512 SITES_512 SITES_512 SITES_512

int modules_many(void)
{
	int number = 0;

	SITES_4096
	return 0;
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

__attribute__((destructor)) static void go(void)
{
	TAFFRAIL_EVENT(app, go);
}

#endif
