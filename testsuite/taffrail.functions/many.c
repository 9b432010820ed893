/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program with 1,001 functions, f000() to f999() and main(), that waits for a
 * line. */
#include <stdio.h>

#define F(a, b, c)						\
	__attribute__((noinline, used))				\
	static long f##a##b##c(long n)				\
	{							\
		__asm__ volatile("nopl 8(%rax,%rax)");		\
		return n + 1;					\
	}
#define F10(a, b)						\
	F(a, b, 0) F(a, b, 1) F(a, b, 2) F(a, b, 3) F(a, b, 4)	\
	F(a, b, 5) F(a, b, 6) F(a, b, 7) F(a, b, 8) F(a, b, 9)
#define F100(a)							\
	F10(a, 0) F10(a, 1) F10(a, 2) F10(a, 3) F10(a, 4)	\
	F10(a, 5) F10(a, 6) F10(a, 7) F10(a, 8) F10(a, 9)

F100(0) F100(1) F100(2) F100(3) F100(4)
F100(5) F100(6) F100(7) F100(8) F100(9)

int main(void)
{
	puts("ready");
	fflush(stdout);
	while (getchar() != '\n')
		;
	return f111(1) != 2;
}
