/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program with markers, and with probes of three providers: its own, and the
 * names that the C library and the dynamic linker have. Prints "ready"; each
 * line of input hits them once.
 */
#include <stdio.h>
#include <taffrail/marker.h>

#include "../shared/adopt.h"

static __attribute__((noinline)) void work(int n)
{
	TAFFRAIL_EVENT(app, marker, n, TAFFRAIL_FIELD(text, "a } b"));
	TAFFRAIL_MARK(app, format, "n %d of %s", n, "some");
	TAFFRAIL_EVENT(libc, marker, n);
	__asm__ volatile(ADOPT_NOP("app", "probe", "0", "4@%%edi")
			 ADOPT_NOP("libc", "setjmp", "0", "4@%%edi")
			 ADOPT_NOP("rtld", "map_start", "0", "4@%%edi")
			 :
			 : "D"(n)
			 : "rax", "memory");
}

int main(void)
{
	char line[16];
	int n = 0;

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		work(++n);
	puts("right");
	return 0;
}
