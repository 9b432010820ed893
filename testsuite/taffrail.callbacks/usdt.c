/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Callbacks at probes of <sys/sdt.h>: values, and the registers that the
 * program does not expect to change.
 */
#include <stdint.h>

#include <taffrail/probe.h>

#include "../shared/adopt.h"
#include "../shared/results.h"

static int called;
static int64_t sum;

/* Uses all vector registers that there are. */
static void clobber(void)
{
	__asm__ volatile("pxor %%xmm0, %%xmm0\n\tpxor %%xmm7, %%xmm7\n\t"
			 "pxor %%xmm15, %%xmm15" : : : "xmm0", "xmm7",
			 "xmm15");
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroall" : : : "xmm0", "xmm1", "xmm7",
				 "xmm15");
}

static void sold(const struct taffrail_event *event, void *priv)
{
	int64_t first = 0, second = 0;

	(void)priv;
	called++;
	if (taffrail_field_i64(event, 0, &first) &&
	    taffrail_field_i64(event, 1, &second))
		sum += first * 1000 + second;
	clobber();
}

/* The probe clobbers nothing but eax, so vector registers keep their values,
 * with AVX their upper halves, too. */
static double work(int n)
{
	double before[4] = { 1, 2, 3, 4 }, after[4];
	int avx = __builtin_cpu_supports("avx");
	double bad = 0;
	long i;

	for (i = 0; i < n; i++) {
		if (avx)
			__asm__ volatile(
				"vmovupd (%2), %%ymm7\n\t"
				ADOPT_NOP("shop", "sold", "0",
					  "8@%%rdi -8@%%rsi")
				"vmovupd %%ymm7, (%3)\n\tvzeroupper"
				: : "D"(i), "S"(-i), "r"(before), "r"(after)
				: "rax", "xmm7", "memory");
		else
			__asm__ volatile(
				"movupd (%2), %%xmm7\n\t"
				ADOPT_NOP("shop", "sold", "0",
					  "8@%%rdi -8@%%rsi")
				"movupd %%xmm7, (%3)"
				: : "D"(i), "S"(-i), "r"(before), "r"(after)
				: "rax", "xmm7", "memory");
		bad += memcmp(before, after, avx ? 32 : 16) != 0;
	}
	return bad;
}

int main(void)
{
	check_equal("off", work(10) == 0, 1);
	check_equal("attach", taffrail_probe_attach("shop/sold", sold, NULL),
		    2);
	check_equal("registers stay", work(10) == 0, 1);
	check_equal("called", called, 10);
	check_equal("with the values", sum, 45 * 999);
	check_equal("detach", taffrail_probe_detach("shop/sold", sold, NULL),
		    0);
	work(10);
	check_equal("not called", called, 10);
	check_equal("a wildcard takes no probes",
		    taffrail_probe_attach("*", sold, NULL), 0);
	return 0;
}
