/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The other half of twins.c.
 */
long other_calls(long n);
/* as Rust names shop::cart::sell */
long cart_sell(long n) __asm__("_RNvNtC4shop4cart4sell");
/* the same, in the older form */
long cart_sell_old(long n) __asm__(
	"_ZN58_$LT$r..shop..Cart$LT$i64$GT$$u20$as$u20$r..shop..Sell$GT$"
	"4sell17ha2d2f3dd5c07955cE");

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

__attribute__((noinline, noclone)) long cart_sell_old(long n)
{
	__asm__ volatile("");
	return n;
}

long other_calls(long n)
{
	return helper(cart_sell_old(cart_sell(n))) * 3;
}
