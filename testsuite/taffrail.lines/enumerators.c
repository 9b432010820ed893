/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Enumerations with values whose highest bit is set in the form that debug
 * information has them in, and with values below 0. */
#include <stdio.h>

enum status { OK = 200, FEW = 100, BIG = 40000, SIX = 0xffff };
enum error { NONE, LOST = -1, LOW = -56, CODE = 200 };
enum flags { BIT = 1, TOP = 0x80000000u };

__attribute__((noinline)) static void serve(enum status s, enum error e,
					    enum flags f)
{
	printf("%d %d %u\n", s, e, f);
}

int main(void)
{
	serve(OK, CODE, TOP);
	serve(BIG, LOW, BIT);
	serve(SIX, LOST, TOP);
	serve(FEW, NONE, BIT);
	return 0;
}
