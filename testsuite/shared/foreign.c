/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hundred events, one line of output, and a certain exit status. */
#include <stdio.h>
#include <taffrail/marker.h>

int main(void)
{
	for (int i = 0; i < 100; i++)
		TAFFRAIL_MARK(app, hit, "n %d", i);
	puts("done");
	return 7;
}
