/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A probe at two places, one of which is too close to its code's end for a
 * jump, a marker at two places, and one behind a guard. There are 7 and 5 hits
 * of the probe's places, 4 and 3 of the marker's, and 2 of the guarded one: at
 * the start; with an argument, for each byte of input, after "ready". The
 * argument is an address, 0, or "guard" for the guard's. Behind the nop at this
 * address is the byte of a breakpoint from "ready" until the first byte of
 * input. Prints "right".
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <taffrail/marker.h>

#include "../shared/adopt.h"

#define BREAKPOINT	0xcc
#define PAGE		4096ul

/* A function with a probe that is too close to its end for a jump. */
#define PLACE(function, provider, bytes)				\
	void function(uint64_t n);					\
	__asm__(".text\n"						\
		".globl	" #function "\n"				\
		".type	" #function ", @function\n"			\
		#function ":\n"						\
		".cfi_startproc\n"					\
		"990:	nop\n"						\
		"	ret\n"						\
		".cfi_endproc\n"					\
		".size	" #function ", . - " #function "\n"		\
		".byte	" bytes "\n"					\
		".pushsection .note.stapsdt, \"\", \"note\"\n"		\
		".balign	4\n"					\
		".4byte	992f - 991f, 994f - 993f, 3\n"			\
		"991:	.asciz	\"stapsdt\"\n"				\
		"992:	.balign	4\n"					\
		"993:	.8byte	990b, 0, 0\n"				\
		".asciz	\"" provider "\"\n"				\
		".asciz	\"sold\"\n"					\
		".asciz	\"8@%rdi\"\n"					\
		"994:	.balign	4\n"					\
		".popsection\n")

/* As the operand of a jump, the bytes behind the nop lead into the code itself,
 * or below address 0. */
PLACE(place_short, "ware", "0, 0, 0");
PLACE(place_below, "below", "0, 0, 0x80");

/* More places than a session's page has room for. */
__asm__(".text\n"
	".rept	60\n"
	".cfi_startproc\n"
	"990:	nop\n"
	"	ret\n"
	".cfi_endproc\n"
	".byte	0, 0, 0\n"
	".pushsection .note.stapsdt, \"\", \"note\"\n"
	".balign	4\n"
	".4byte	992f - 991f, 994f - 993f, 3\n"
	"991:	.asciz	\"stapsdt\"\n"
	"992:	.balign	4\n"
	"993:	.8byte	990b, 0, 0\n"
	".asciz	\"many\"\n"
	".asciz	\"sold\"\n"
	".asciz	\"\"\n"
	"994:	.balign	4\n"
	".popsection\n"
	".endr\n");

static __attribute__((noinline)) void place_long(uint64_t n)
{
	__asm__ volatile(ADOPT_NOP("ware", "sold", "0", "8@%%rdi")
			 : : "D"(n) : "rax");
}

static inline __attribute__((always_inline)) void mark(int n)
{
	TAFFRAIL_EVENT(shop, sold, n);
}

static __attribute__((noinline)) void mark_first(int n)
{
	mark(n);
}

static __attribute__((noinline)) void mark_second(int n)
{
	mark(n);
}

static __attribute__((noinline)) void guarded(int n)
{
	if (TAFFRAIL_ENABLED(store, kept))
		TAFFRAIL_EVENT(store, kept, n);
}

/* Returns the guard's nop: a test of a number is behind it. */
static uint8_t *guard_find(void)
{
	uint8_t *code = (uint8_t *)guarded;

	while (code[0] != 0x90 || code[1] != 0xa9)
		code++;
	return code;
}

static uint8_t *code_at(const char *word)
{
	return !strcmp(word, "guard") ? guard_find() :
	       (uint8_t *)strtoul(word, NULL, 16);
}

static void hit(void)
{
	int i;

	for (i = 0; i < 7; i++)
		place_long(1);
	for (i = 0; i < 5; i++)
		place_short(2);
	for (i = 0; i < 4; i++)
		mark_first(1);
	for (i = 0; i < 3; i++)
		mark_second(2);
	for (i = 0; i < 2; i++)
		guarded(i);
}

int main(int argc, char **argv)
{
	uint8_t *code = argc > 1 ? code_at(argv[1]) : NULL;
	uint8_t *page = (uint8_t *)((uintptr_t)code & ~(PAGE - 1));
	uint8_t before = 0;
	char c;

	if (argc == 1)
		hit();
	if (code) {
		if (mprotect(page, 2 * PAGE,
			     PROT_READ | PROT_WRITE | PROT_EXEC))
			return 1;
		before = code[1];
		code[1] = BREAKPOINT;
	}
	if (argc > 1) {
		puts("ready");
		fflush(stdout);
	}
	while (argc > 1 && read(0, &c, 1) > 0) {
		if (code && code[1] == BREAKPOINT)
			code[1] = before;
		hit();
		puts("hit");
		fflush(stdout);
	}
	puts("right");
	return 0;
}
