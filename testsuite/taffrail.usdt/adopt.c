/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probes of a program without the agent: with arguments in every possible
 * place, with all registers in use, in threads and children, in a library that
 * comes and goes. Never linked to the agent.
 *
 *	adopt args | state [wait] | lines | threads N | fork | library FILE N
 *
 * Prints "right", or what is wrong. `threads` prints "ready" and goes on until
 * its input ends; `state wait` prints "ready", begins at the first input and
 * ends with it.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../shared/adopt.h"

#define SALES	100
#define THREADS	4

unsigned short ware_sold_semaphore __attribute__((section(".probes"), used));
int64_t adopt_table[4] = { 10, 20, 30, 40 };

void probe_state(const uint64_t *in, uint64_t *out, int how);

/* Arguments of every width, in registers, in memory, and constants. */
static __attribute__((noinline)) void sell(int64_t n)
{
	register int64_t *r8 __asm__("r8") = adopt_table;
	register int64_t r9 __asm__("r9") = 1;
	register double xmm1 __asm__("xmm1") = (double)n / 2;
	register float xmm2 __asm__("xmm2") = (float)-n;
	int32_t local = (int32_t)-n;

	__asm__ volatile(
		ADOPT_NOP("ware", "sold", "ware_sold_semaphore",
			  "8@%%rdi -4@%[local] -1@%%sil 2@%%dx 1@%%dh -8@$-7 "
			  "8@8(%%r8,%%r9,8) -8@adopt_table+24(%%rip) "
			  "-4@%%fs:0 8f@%%xmm1 4f@%%xmm2")
		:
		: "D"(n), [local] "m"(local), "S"(n),
		  "d"(0x1200 + (n & 0xff)), "r"(r8), "r"(r9), "x"(xmm1),
		  "x"(xmm2)
		: "rax");
}

/* The same probe twice, with its arguments elsewhere. */
static __attribute__((noinline)) void visit(int64_t who, int64_t n)
{
	if (n & 1)
		__asm__ volatile(ADOPT_NOP("ware", "visited", "0",
					   "8@%%rdi 8@%%rsi")
				 : : "D"(who), "S"(n) : "rax");
	else
		__asm__ volatile(ADOPT_NOP("ware", "visited", "0",
					   "8@%%rdx 8@%%rcx")
				 : : "d"(who), "c"(n) : "rax");
}

static int do_args(void)
{
	int64_t n;

	/* like programs that compute arguments only for a probe */
	if (!*(volatile unsigned short *)&ware_sold_semaphore)
		return 0;
	for (n = 0; n < SALES; n++)
		sell(n);
	return 0;
}

/* In memory of no module: side by side, across 64 bytes, at a page's end, and
 * where nothing can be read. */
static __attribute__((noinline)) void count(uint8_t *at, uint64_t n)
{
	uint64_t numbers[4] = { n, n + 1, n + 2, n + 3 };

	memcpy(at, &numbers[0], 8);
	memcpy(at + 8, &numbers[1], 4);
	memcpy(at + 60, &numbers[2], 8);
	memcpy(at + 124, &numbers[3], 4);
	__asm__ volatile(ADOPT_NOP("ware", "counted", "0",
				   "8@(%%rdi) 4@8(%%rdi) 8@60(%%rdi) "
				   "4@124(%%rdi) 8@128(%%rdi)")
			 : : "D"(at) : "rax", "memory");
}

/* The child's first hit must have the child's values. */
static int do_lines(void)
{
	uint8_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = 1;
	uint64_t n;
	pid_t pid;

	if (pages == MAP_FAILED || mprotect(pages + 4096, 4096, PROT_NONE))
		return 1;
	for (n = 0; n < 10; n++)
		count(pages + 4096 - 128, n);
	pid = fork();
	for (; n < 20; n++)
		count(pages + 4096 - 128, pid ? n : n + 100);
	if (!pid)
		_exit(0);
	waitpid(pid, &status, 0);
	return status;
}

/* As a comparison leaves the flags, if probe_state() says so. */
static uint64_t flags_of(uint64_t a, uint64_t b)
{
	uint64_t flags = 0;

	__asm__("cmpq	%2, %1\n\t"
		"lahf\n\t"
		"seto	%%al"
		: "+a"(flags) : "r"(a), "r"(b) : "cc");
	return flags;
}

static int state_once(int how, uint64_t seed)
{
	static uint64_t in[100];
	static uint64_t out[100];
	int i;

	memset(out, 0, sizeof(out));
	for (i = 0; i < 80; i++)
		in[i] = seed * (uint64_t)(i + 1) ^ 0x0123456789abcdefull;
	for (i = 16; !(how & 1) && i < 80; i++)
		if (i & 2)
			in[i] = 0;
	probe_state(in, out, how);
	for (i = 1; i < 80; i++)
		if (i != 7 && in[i] != out[i]) {
			printf("wrong: %d of the registers, %d\n", i, how);
			return 1;
		}
	for (i = 0; i < 16; i++)
		if (out[80 + i] != 0x5a000000u + (unsigned)i) {
			printf("wrong: %d of the red zone, %d\n", i, how);
			return 1;
		}
	if (out[96] != (flags_of(in[2], in[1]) | (how & 2) << 15)) {
		printf("wrong: the flags, %d\n", how);
		return 1;
	}
	return 0;
}

static int do_state(int wait)
{
	uint64_t seed;
	int ret = 0;

	if (wait) {
		puts("ready");
		fflush(stdout);
		getchar();
	}
	if (!__builtin_cpu_supports("avx2"))
		return 0;
	for (seed = 1; seed <= 500 && !ret; seed++)
		ret = state_once(0, seed) || state_once(1, ~seed) ||
		      state_once(2, seed << 32);
	while (wait && getchar() != EOF)
		;
	return ret;
}

static int stop;
static int64_t totals[THREADS];

static void *thread(void *arg)
{
	int64_t who = (int64_t)(intptr_t)arg;
	int64_t n = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		visit(who, n++);
	totals[who] = n;
	return NULL;
}

/* Hits until the input ends; a command switches the probe meanwhile. */
static int do_threads(void)
{
	pthread_t threads[THREADS];
	intptr_t i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread, (void *)i);
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int do_fork(void)
{
	int64_t n;
	pid_t pid;
	int status = 1;

	for (n = 0; n < 10; n++)
		visit(1, n);
	pid = fork();
	/* the child's first hit, which makes its rings */
	if (!pid && __builtin_cpu_supports("avx2") && state_once(1, 7))
		_exit(1);
	for (n = 0; n < 20; n++)
		visit(pid ? 2 : 3, n);
	if (!pid)
		_exit(0);
	waitpid(pid, &status, 0);
	return status;
}

static int do_library(const char *file, int times)
{
	int i;

	for (i = 0; i < times; i++) {
		void *library = dlopen(file, RTLD_NOW);
		void (*call)(int64_t) = library ? dlsym(library, "lend") : NULL;
		int64_t n;

		if (!call) {
			printf("wrong: %s\n", dlerror());
			return 1;
		}
		for (n = 0; n < 5; n++)
			call(n);
		dlclose(library);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int ret = 2;

	if (!strcmp(what, "args"))
		ret = do_args();
	else if (!strcmp(what, "state"))
		ret = do_state(argc > 2);
	else if (!strcmp(what, "lines"))
		ret = do_lines();
	else if (!strcmp(what, "threads"))
		ret = do_threads();
	else if (!strcmp(what, "fork"))
		ret = do_fork();
	else if (!strcmp(what, "library") && argc > 3)
		ret = do_library(argv[2], atoi(argv[3]));
	if (!ret)
		puts("right");
	return ret;
}
