/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program written for the first UST: it compiles as it stands.
 *
 *	cc $(pkg-config --cflags taffrail) ust.c -o ust
 *	taffrail record -o trace -- ./ust
 */
#include <ust/marker.h>

int main(void)
{
	trace_mark(ust, bar, "str %s", "FOOBAZ");
	trace_mark(ust, bar2, "number1 %d number2 %d", 53, 9800);
	trace_mark(ust, done, MARK_NOARGS);
	return 0;
}
