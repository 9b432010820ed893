/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library that hosts.c loads and unloads. With SECOND, another one of the
 * same layout: a marker of another name, with another field, is at the same
 * place.
 */
#include <taffrail/marker.h>

void plugged(long n);

#ifdef SECOND
enum word { NONE, ONE, TWO };

void plugged(long n)
{
	enum word word = (enum word)n;

	TAFFRAIL_EVENT(app, second, TAFFRAIL_ENUM(word, NONE, ONE, TWO));
}
#else
void plugged(long n)
{
	int count = (int)n;

	TAFFRAIL_EVENT(app, firsts, count);
}
#endif
