/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hits app/first ROUNDS times, app/second in every second round, and each
 * app/twice, which is in two functions, in every round. With a second argument
 * does the same again for each line that it reads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <taffrail/marker.h>

/* Where the test says that sites were moved to. */
__asm__(".pushsection .text\n"
	".globl moved_spare\n"
	"moved_spare: .fill 256, 1, 0x90\n"
	".popsection\n");

static inline void twice(int n)
{
	TAFFRAIL_EVENT(app, twice, n);
}

__attribute__((noinline)) void even(int n)
{
	TAFFRAIL_EVENT(app, first, n);
	if (!(n & 1))
		TAFFRAIL_EVENT(app, second, n);
	twice(n);
}

__attribute__((noinline)) void odd(int n)
{
	if (TAFFRAIL_ENABLED(app, second))
		putchar('.');
	twice(-n);
}

static void rounds(int n)
{
	for (int i = 0; i < n; i++) {
		even(i);
		odd(i);
	}
	printf("done\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;

	rounds(n);
	while (argc > 2 && getchar() == '\n')
		rounds(n);
	return 0;
}
