/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that is not dumpable: its user may not look into it. It has a
 * marker and a USDT probe of its own, and passes both N times for each line
 * "N".
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/sdt.h>

#include <taffrail/marker.h>

static volatile int sink;

__attribute__((noinline)) static void pass(int i)
{
	TAFFRAIL_EVENT(app, hit, i);
	DTRACE_PROBE1(shop, tick, i);
	sink = i * 3;
	sink += 7;
}

int main(void)
{
	char line[64];

	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		return 2;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && *line != 'e') {
		for (int i = 0; i < atoi(line); i++)
			pass(i);
		printf("passed %d\n", atoi(line));
		fflush(stdout);
	}
	puts("right");
	return 0;
}
