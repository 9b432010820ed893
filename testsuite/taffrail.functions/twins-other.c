/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The other half of twins.c.
 */
long other_calls(long n);
/* as Rust names shop::cart::sell */
long cart_sell(long n) __asm__("_RNvNtC4shop4cart4sell");

__attribute__((noinline, noclone)) static long helper(long n)
{
	__asm__ volatile("");
	return n + 100;
}

__attribute__((noinline, noclone)) long cart_sell(long n)
{
	__asm__ volatile("");
	return n;
}

long other_calls(long n)
{
	return helper(cart_sell(n)) * 3;
}
