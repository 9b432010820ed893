/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A probe whose arguments are addresses of characters: of all kinds, bad ones
 * too. Never linked to the agent. Prints "right".
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../shared/adopt.h"

static __attribute__((noinline)) void call(const char *name, int64_t n,
					   const char *more)
{
	__asm__ volatile(ADOPT_NOP("ware", "called", "0",
				   "8@%%rdi -8@%%rsi 8@%%rdx")
			 : : "D"(name), "S"(n), "d"(more) : "rax");
}

int main(void)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *heap = strdup("from the heap");
	char local[32] = "on the stack";
	char *large = malloc(5001);

	if (pages == MAP_FAILED || !heap || !large)
		return 1;
	munmap(pages + 4096, 4096);
	memset(pages, 'x', 4096);
	memcpy(pages + 4096 - 9, "the end.", 9);
	memset(large, 'l', 5000);
	large[5000] = 0;
	call("constant", 0, "one");
	call(heap, 1, "two");
	call(local, 2, "");
	call(NULL, 3, NULL);
	call((const char *)8, 4, "four");
	call(pages + 4096 - 9, 5, "five");
	call(pages + 4096 - 9 - 3, 6, "six");
	call(pages + 4096 - 1, 7, (const char *)pages + 4096);
	call(large, 8, "eight");
	puts("right");
	return 0;
}
