/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The other half of twins.c.
 */
long other_calls(long n);

__attribute__((noinline, noclone)) static long helper(long n)
{
	__asm__ volatile("");
	return n + 100;
}

long other_calls(long n)
{
	return helper(n) * 3;
}
