/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * usdt WHO: a probe with three arguments, hit as an unmodified program would,
 * and the same loop without it; WHO is "uprobe": while the kernel counts it, as
 * `perf stat` would have it do. Prints
 *
 *	value usdt.WHO NS	a hit less the loop: median of rounds, by
 *				processor time
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "testsuite/shared/adopt.h"

extern const char __executable_start;

#define ROUNDS	200
#define HITS	5000

static __attribute__((noinline)) void hit(int64_t a, int64_t b, int32_t c)
{
	__asm__ volatile(ADOPT_NOP("bench", "usdt", "0",
				   "8@%%rdi 8@%%rsi -4@%%edx")
			 : : "D"(a), "S"(b), "d"(c) : "rax");
}

static __attribute__((noinline)) void miss(int64_t a, int64_t b, int32_t c)
{
	__asm__ volatile("nop\n\tmovl $0xe00000, %%eax"
			 : : "D"(a), "S"(b), "d"(c) : "rax");
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double round_ns(void (*call)(int64_t, int64_t, int32_t))
{
	double begin = now();
	int i;

	for (i = 0; i < HITS; i++)
		call(i, i + 1, -i);
	return (now() - begin) / HITS;
}

/* What a line of a file says, or 0. */
static uint64_t number_of(const char *path)
{
	unsigned long long n = 0;
	FILE *f = fopen(path, "r");

	if (f && fscanf(f, "%llu", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

/* In the file: the program is loaded as it lies there, but for its base. */
static int uprobe_open(void)
{
	static char path[4096];
	struct perf_event_attr attr = { .size = sizeof(attr) };
	const char *nop = memchr((const char *)hit, 0x90, 64);
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	attr.type = (uint32_t)number_of(
		"/sys/bus/event_source/devices/uprobe/type");
	if (n <= 0 || !attr.type || !nop)
		return -1;
	attr.config1 = (uint64_t)(uintptr_t)path;
	attr.config2 = (uint64_t)(nop - &__executable_start);
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	const char *who = argc > 1 ? argv[1] : "it";
	double net[ROUNDS];
	uint64_t hits;
	int fd = -1;
	int i;

	if (!strcmp(who, "uprobe") && (fd = uprobe_open()) < 0)
		return 1;

	for (i = 0; i < ROUNDS; i++)
		net[i] = round_ns(hit) - round_ns(miss);
	qsort(net, ROUNDS, sizeof(net[0]), compare);
	if (fd >= 0 && (read(fd, &hits, sizeof(hits)) != sizeof(hits) ||
			hits != (uint64_t)ROUNDS * HITS))
		return 1;
	printf("value usdt.%s %.2f\n", who, net[ROUNDS / 2]);
	return 0;
}
