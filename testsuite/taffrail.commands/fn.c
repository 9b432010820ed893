/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A marker of a channel named fn, as rules for functions begin. */
#include <taffrail/marker.h>

int main(void)
{
	int n = 1;

	TAFFRAIL_EVENT(fn, work, n);
	return 0;
}
