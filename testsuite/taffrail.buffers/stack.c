/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measures how much of the stack a marker takes. Each marker is hit on a
 * separate stack that holds one byte value everywhere; then the program finds
 * the lowest byte that has changed. There are enough hits for every path of a
 * hit. The first hit of a forked child makes its buffers.
 *
 *	most N		bytes of the deepest hit, the call of it included
 *	child N		the same of the child's first hit
 *
 * stack SIZE: instead, a handler hits two markers on an alternate stack of so
 * many bytes, below which is no memory; "handled" when it has returned.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

#define STACK_BYTES	65536
#define TOP		64
#define FILL		0xa5
#define HITS		100000
#define LOOKED_AT	2000	/* the first so many, and each 50th behind */

static unsigned char stack[STACK_BYTES] __attribute__((aligned(64)));
static unsigned char bytes[64];
static volatile int number = 7;
static const char *volatile text = "some text";

static void hit_number(void)
{
	TAFFRAIL_EVENT(app, number, TAFFRAIL_FIELD(i, number));
}

static void hit_text(void)
{
	const char *s = text;

	TAFFRAIL_EVENT(app, text, TAFFRAIL_FIELD(i, number), s);
}

static void hit_bytes(void)
{
	TAFFRAIL_EVENT(app, bytes, TAFFRAIL_BYTES(bytes, 64));
}

static void hit_mark(void)
{
	TAFFRAIL_MARK(app, mark, "n %d s %s f %f", number, text, 1.5);
}

static void (*const hits[])(void) = { hit_number, hit_text, hit_bytes,
				      hit_mark };

static void __attribute__((noinline)) on_stack(void (*fn)(void))
{
	register void *top __asm__("rbx") = stack + STACK_BYTES - TOP;

	__asm__ volatile("xchgq %%rsp, %[top]\n\t"
			 "callq *%[fn]\n\t"
			 "movq %[top], %%rsp"
			 : [top] "+r"(top)
			 : [fn] "r"(fn)
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10",
			   "r11", "memory", "cc");
}

static unsigned depth(void (*fn)(void))
{
	unsigned i = 0;

	memset(stack, FILL, STACK_BYTES);
	on_stack(fn);
	while (i < STACK_BYTES && stack[i] == FILL)
		i++;
	return STACK_BYTES - TOP - i;
}

static void on_signal(int number)
{
	(void)number;
	hit_text();
	hit_number();
}

/* The slow paths are those of a thread's first hits on a CPU. */
static int by_signal(size_t bytes)
{
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_ONSTACK };
	size_t room = (bytes + 4095) & ~(size_t)4095;
	char *memory = mmap(NULL, 4096 + room, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t alternate = { .ss_size = bytes };

	if (memory == MAP_FAILED || mprotect(memory, 4096, PROT_NONE))
		return 1;
	alternate.ss_sp = memory + 4096;
	if (sigaltstack(&alternate, NULL) ||
	    sigaction(SIGUSR1, &action, NULL))
		return 2;
	raise(SIGUSR1);
	puts("handled");
	return 0;
}

int main(int argc, char **argv)
{
	unsigned most = 0, n;
	int status;

	if (argc > 1)
		return by_signal(strtoul(argv[1], NULL, 0));
	for (unsigned k = 0; k < sizeof(hits) / sizeof(hits[0]); k++) {
		for (unsigned i = 0; i < HITS; i++) {
			if (i >= LOOKED_AT && i % 50) {
				hits[k]();
				continue;
			}
			n = depth(hits[k]);
			most = n > most ? n : most;
		}
	}
	printf("most %u\n", most);
	fflush(stdout);
	if (!fork()) {
		printf("child %u\n", depth(hit_number));
		fflush(stdout);
		_exit(0);
	}
	wait(&status);
	return status != 0;
}
