/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * chain [wait] N: writes two events, and executes itself with N - 1, down to 0;
 * with "wait", waits for its input between the first two.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <taffrail/marker.h>

int main(int argc, char **argv)
{
	long number = argc > 1 ? atol(argv[argc - 1]) : 0;
	char next[32];

	TAFFRAIL_EVENT(app, work_begin, number);
	if (argc > 2)
		getchar();
	TAFFRAIL_EVENT(app, work_end, number);
	if (!number)
		return 0;
	snprintf(next, sizeof(next), "%ld", number - 1);
	execl(argv[0], argv[0], next, (char *)NULL);
	return 1;
}
