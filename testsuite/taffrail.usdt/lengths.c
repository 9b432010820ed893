/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probes whose strings end where another argument says: of all kinds, bad ones
 * too; one with the name and the arguments of a JVM's probe. Never linked to
 * the agent. With an argument, waits for a byte of its input before that, and
 * for its end afterwards. Prints "right".
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../shared/adopt.h"

#define PAGE	4096

/* The length as a number of 4 bytes, behind its string; as one without a sign;
 * of 8 bytes in memory; of 2 bytes before it. */
static __attribute__((noinline)) void call(const char *name, int64_t length)
{
	int64_t stored = length;

	__asm__ volatile(ADOPT_NOP("ware", "named", "0", "8@%%rdi -4@%%esi")
			 : : "D"(name), "S"(length) : "rax", "memory");
	__asm__ volatile(ADOPT_NOP("ware", "bare", "0", "8@%%rdi 4@%%esi")
			 : : "D"(name), "S"(length) : "rax", "memory");
	__asm__ volatile(ADOPT_NOP("ware", "stored", "0",
				   "8@%%fs:16 8@%%rdi -8@(%%rdx)")
			 : : "D"(name), "d"(&stored) : "rax", "memory");
	__asm__ volatile(ADOPT_NOP("ware", "before", "0", "-2@%%si 8@%%rdi")
			 : : "D"(name), "S"(length) : "rax", "memory");
	__asm__ volatile(ADOPT_NOP("hotspot", "class__loaded", "0",
				   "8@%%rdi -4@%%esi 8@%%rdx 1@%%cl")
			 : : "D"(name), "S"(length), "d"(7L), "c"(1L)
			 : "rax", "memory");
}

int main(int argc, char **argv)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *large = malloc(5000);
	char c;

	(void)argv;
	if (pages == MAP_FAILED || !large)
		return 1;
	munmap(pages + PAGE, PAGE);
	memset(pages, 'x', PAGE);
	memcpy(pages + PAGE - 7, "the end", 7);
	memset(large, 'l', 5000);
	if (argc > 1) {
		puts("ready");
		fflush(stdout);
		if (read(0, &c, 1) < 0)
			return 1;
	}
	call("java/lang/ObjectV", 16);
	call("short", 300);
	call("none", 0);
	call("less", -1);
	call(NULL, 5);
	call((const char *)8, 4);
	call((const char *)8, 0);
	call(pages + PAGE - 7, 7);
	call(pages + PAGE - 3, 9);
	call(large, 5000);
	while (argc > 1 && read(0, &c, 1) > 0)
		;
	puts("right");
	return 0;
}
