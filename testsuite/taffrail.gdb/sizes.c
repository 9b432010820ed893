/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Variables that gdb takes for others in conditions: arrays of variable length,
 * and integers of 128 bits. It prints "ready" and hits app/sizes at each line
 * on its input.
 */
#include <stdio.h>
#include <string.h>
#include <taffrail/marker.h>

typedef __int128 wide_int;

struct pair {
	int sizeof_it;
	int n;
};

static __attribute__((noinline)) int sizes(int n)
{
	wide_int wide = (wide_int)n << 64;
	char letters[n];
	int table[n][3];
	int fixed[7] = { n };
	char(*pointer)[n] = &letters;
	struct pair pair = { n, n };

	memset(letters, n, sizeof(letters));
	memset(table, n, sizeof(table));
	TAFFRAIL_EVENT(app, sizes, n);
	return letters[0] + table[0][0] + fixed[0] + (*pointer)[0] +
	       (int)(wide >> 64) + pair.n;
}

int main(void)
{
	char line[64];
	int n = 0;

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		printf("done %d\n", sizes(++n));
		fflush(stdout);
	}
	return 0;
}
