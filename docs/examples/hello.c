/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A printf-like marker. The words before the conversions name the fields.
 *
 *	cc $(pkg-config --cflags taffrail) hello.c -o hello
 *	taffrail record -o trace -- ./hello
 */
#include <taffrail/marker.h>

int main(void)
{
	int i;

	for (i = 0; i < 3; i++)
		TAFFRAIL_MARK(app, hello, "number %d text %s", i, "world");
	return 0;
}
