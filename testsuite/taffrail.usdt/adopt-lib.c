/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library with a probe.
 */
#include <stdint.h>

#include "adopt.h"

void lend(int64_t n);
void lend(int64_t n)
{
	__asm__ volatile(ADOPT_NOP("ware", "lent", "0", "8@%%rdi")
			 : : "D"(n) : "rax");
}
