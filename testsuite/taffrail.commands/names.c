/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A marker whose file has bytes in its name that are not UTF-8, and a character
 * that stands for such a byte in JSON. */
#include <taffrail/marker.h>

int main(int argc, char **argv)
{
	(void)argv;
#line 5 "odd\377\356\276\200.c"
	TAFFRAIL_EVENT(app, odd, argc);
	return 0;
}
