/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library with a probe, and two side by side behind it.
 */
#include <stdint.h>
#include <sys/sdt.h>

#include "../shared/adopt.h"

void lend(int64_t n);
void lend(int64_t n)
{
	__asm__ volatile(ADOPT_NOP("ware", "lent", "0", "8@%%rdi")
			 : : "D"(n) : "rax");
	DTRACE_PROBE1(beside, lent_first, n);
	DTRACE_PROBE1(beside, lent_second, n);
#ifndef ADOPT_ENDS	/* too soon for a jump */
	__asm__ volatile("leaq	0x100(%%rax), %%rax" : : : "rax");
#endif
}
