/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library with markers: -fPIC, and no library to link. Its markers are
 * found when it is loaded, also by dlopen, and forgotten when it is closed.
 *
 *	cc $(pkg-config --cflags taffrail) -fPIC -shared library.c \
 *		-o libexample.so
 */
#include <taffrail/marker.h>

int example_area(int width, int height);

int example_area(int width, int height)
{
	int area = width * height;

	TAFFRAIL_EVENT(example, area, width, height, area);
	return area;
}
