/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * settled [LIBRARY | -]: a program with a marker, app/begun, and a probe,
 * own/hit; then it calls lend() of the library, which has a probe, ware/lent;
 * or prints "ready", and waits until its input ends.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <taffrail/marker.h>

#include "../shared/adopt.h"

static __attribute__((noinline)) void hit(int64_t n)
{
	__asm__ volatile(ADOPT_NOP("own", "hit", "0", "8@%%rdi")
			 : : "D"(n) : "rax");
	__asm__ volatile("leaq	0x100(%%rax), %%rax" : : : "rax");
}

int main(int argc, char **argv)
{
	int waits = argc > 1 && !strcmp(argv[1], "-");
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void (*lend)(int64_t) = library ? dlsym(library, "lend") : NULL;

	TAFFRAIL_EVENT(app, begun, TAFFRAIL_FIELD(n, argc));
	hit(argc);
	if (lend)
		lend(1);
	if (waits) {
		puts("ready");
		fflush(stdout);
		while (getchar() != EOF)
			;
	}
	return argc > 1 && !lend && !waits;
}
