/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library with one function, for opens.c. */
long called(long n);

long called(long n)
{
	__asm__ volatile("nop; nop; nop; nop; nop" ::: "memory");
	return n + 1;
}
