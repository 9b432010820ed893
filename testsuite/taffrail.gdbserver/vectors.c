/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program for gdbserver: each register that programs can use has a value of
 * its own at a marker, and at the label `oracle` just before it. Another marker
 * has arguments in vector registers. With argv[1] "plain", registers are as the
 * program has found them. With "threads", threads and a signal's handler hit
 * the other marker side by side, each with arguments of its own. With
 * "where", prints where XSAVE writes the masks of AVX-512, or 0.
 */
#include <cpuid.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <taffrail/marker.h>

enum { THREADS = 8, HITS = 100 };

static uint8_t pattern[32][64] __attribute__((aligned(64)));
static const long double numbers[3] = { 3.25L, -17, 0 };
static const uint32_t control = 0x7fa0;		/* rounds to zero */
static const uint16_t control_x87 = 0x0f7f;

/* The state that the kernel lets programs use. */
static uint32_t state(void)
{
	uint32_t a = 0, b, c = 0, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27))
		return 0;
	__asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	return a;
}

#define CLOBBERS "memory", "st", "st(1)", "st(2)", "xmm0", "xmm1", "xmm2", \
	"xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",   \
	"xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

#define LOAD(instruction, register, n)                                 \
	__asm__ volatile(instruction " %0, %%" register                \
			 : : "m"(pattern[n]) : CLOBBERS)
#define LOAD_8(i, r, n)                                                \
	LOAD(i, r #n, n)
#define LOAD_16(i, r)                                                  \
	LOAD_8(i, r, 0); LOAD_8(i, r, 1); LOAD_8(i, r, 2);             \
	LOAD_8(i, r, 3); LOAD_8(i, r, 4); LOAD_8(i, r, 5);             \
	LOAD_8(i, r, 6); LOAD_8(i, r, 7); LOAD_8(i, r, 8);             \
	LOAD_8(i, r, 9); LOAD_8(i, r, 10); LOAD_8(i, r, 11);           \
	LOAD_8(i, r, 12); LOAD_8(i, r, 13); LOAD_8(i, r, 14);          \
	LOAD_8(i, r, 15)
#define LOAD_32(i, r)                                                  \
	LOAD_16(i, r);                                                 \
	LOAD_8(i, r, 16); LOAD_8(i, r, 17); LOAD_8(i, r, 18);          \
	LOAD_8(i, r, 19); LOAD_8(i, r, 20); LOAD_8(i, r, 21);          \
	LOAD_8(i, r, 22); LOAD_8(i, r, 23); LOAD_8(i, r, 24);          \
	LOAD_8(i, r, 25); LOAD_8(i, r, 26); LOAD_8(i, r, 27);          \
	LOAD_8(i, r, 28); LOAD_8(i, r, 29); LOAD_8(i, r, 30);          \
	LOAD_8(i, r, 31)

static void load(void)
{
	uint32_t s = state();

	if ((s & 0xe0) == 0xe0) {
		LOAD_32("vmovdqa64", "zmm");
		LOAD("kmovw", "k1", 1);
		LOAD("kmovw", "k2", 2);
		LOAD("kmovw", "k7", 3);
	} else if (s & 4) {
		LOAD_16("vmovdqa", "ymm");
	} else {
		LOAD_16("movdqa", "xmm");
	}
	__asm__ volatile("fninit; fldcw %0; fldt %1; fldt %2; fldt %3;"
			 "ldmxcsr %4"
			 : : "m"(control_x87), "m"(numbers[0]),
			   "m"(numbers[1]), "m"(numbers[2]), "m"(control)
			 : CLOBBERS);
}

static __attribute__((noinline)) void loaded(int plain)
{
	static const uint32_t usual = 0x1f80;

	if (!plain)
		load();
	__asm__ volatile("oracle: nop; nop; nop; nop; nop" ::: CLOBBERS);
	TAFFRAIL_EVENT(app, loaded);
	__asm__ volatile("fninit; ldmxcsr %0" : : "m"(usual) : CLOBBERS);
}

static __attribute__((noinline)) double weigh(double a, double b, float c,
					      double d)
{
	TAFFRAIL_EVENT(app, weigh, a);
	return a * b + (double)c - d;
}

static void interrupt(int number)
{
	static volatile double turn;

	turn = turn - 1;
	(void)number;
	(void)weigh(turn, 0, 0, 0);
}

static void *run(void *arg)
{
	long i;

	for (i = 0; i < HITS; i++)
		(void)weigh((double)(HITS * (long)arg + i), 1, 2, 3);
	return arg;
}

static int run_threads(void)
{
	struct itimerval every = { { 0, 100 }, { 0, 100 } };
	pthread_t threads[THREADS];
	long i;

	signal(SIGALRM, interrupt);
	setitimer(ITIMER_REAL, &every, NULL);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			return 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	every.it_value.tv_usec = 0;
	setitimer(ITIMER_REAL, &every, NULL);
	return 0;
}

static int masks_print(void)
{
	uint32_t a, offset = 0, c, d;

	if (state() & 0x20)
		(void)__get_cpuid_count(0xd, 5, &a, &offset, &c, &d);
	printf("%u\n", offset);
	return 0;
}

int main(int argc, char **argv)
{
	uint32_t i, j;

	if (argc > 1 && !strcmp(argv[1], "where"))
		return masks_print();

	if (argc > 1 && !strcmp(argv[1], "threads"))
		return run_threads();

	for (i = 0; i < 32; i++)
		for (j = 0; j < 64; j++)
			pattern[i][j] = (uint8_t)(64 * i + j + 1);
	loaded(argc > 1 && !strcmp(argv[1], "plain"));
	return weigh(6, 10, 6, 1) == 65 ? 0 : 1;
}
