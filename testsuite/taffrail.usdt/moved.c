/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hits app/first ROUNDS times, app/second in every second round, and each
 * app/twice, which is in two functions, in every round. With a second argument
 * does the same again for each line that it reads. With MOVED_MANY, hits 100
 * other markers instead, once each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <taffrail/marker.h>

/* Where the test says that sites were moved to: there is room for jumps. */
__asm__(".pushsection .text\n"
	".globl moved_spare\n"
	".type moved_spare, @function\n"
	"moved_spare:\n"
	".cfi_startproc\n"
	".fill 1024, 1, 0x90\n"
	"ret\n"
	".cfi_endproc\n"
	".size moved_spare, . - moved_spare\n"
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

#ifdef MOVED_MANY
/* More markers than a session's page has room for. */
#define ONE(name)	TAFFRAIL_EVENT(many, name, n);
#define TEN(name)							\
	ONE(name##0) ONE(name##1) ONE(name##2) ONE(name##3) ONE(name##4) \
	ONE(name##5) ONE(name##6) ONE(name##7) ONE(name##8) ONE(name##9)

static void rounds(int n)
{
	TEN(a) TEN(b) TEN(c) TEN(d) TEN(e)
	TEN(f) TEN(g) TEN(h) TEN(i) TEN(j)
	printf("done\n");
	fflush(stdout);
}
#else
static void rounds(int n)
{
	for (int i = 0; i < n; i++) {
		even(i);
		odd(i);
	}
	printf("done\n");
	fflush(stdout);
}
#endif

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;

	rounds(n);
	while (argc > 2 && getchar() == '\n')
		rounds(n);
	return 0;
}
