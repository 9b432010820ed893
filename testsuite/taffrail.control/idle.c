/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Has a marker, and waits for a line of input before it ends. */
#include <stdio.h>
#include <taffrail/marker.h>

int main(void)
{
	int n = 1;

	TAFFRAIL_EVENT(app, hit, n);
	puts("ready");
	fflush(stdout);
	return getchar() == EOF;
}
