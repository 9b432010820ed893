/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Addresses of C++ functions and data, of a C function whose name looks like
 * one, and of names that stand for very long ones.
 */
#include <string>
#include <taffrail/marker.h>

#define KEPT	__attribute__((noinline, used))

namespace store {
struct table {
	int get(const std::string &key) const;
	static int rows;
};
KEPT int table::get(const std::string &key) const
{
	return rows + (int)key.size();
}
int table::rows;
template <typename T> KEPT T twice(T x)
{
	return x + x;
}
} // namespace store

namespace {
KEPT int hidden(int x)
{
	return x - 1;
}
} // namespace

KEPT unsigned long long operator""_km(unsigned long long x)
{
	return x * 1000;
}

extern "C" {
KEPT int plain(void)
{
	return 1;
}
KEPT int _Zippy(void)
{
	return 2;
}
/* f(A, B<A, A>, B<B<A, A>, B<A, A> >, ...): each word doubles the last */
int longer(void) __asm__("_Z1f1A1BIS_S_ES0_IS1_S1_ES0_IS2_S2_ES0_IS3_S3_E");
KEPT int longer(void)
{
	return 3;
}
int longest(void) __asm__("_Z1g1A1BIS_S_ES0_IS1_S1_ES0_IS2_S2_ES0_IS3_S3_E"
			  "S0_IS4_S4_ES0_IS5_S5_ES0_IS6_S6_ES0_IS7_S7_E"
			  "S0_IS8_S8_ES0_IS9_S9_ES0_ISA_SA_ES0_ISB_SB_E");
KEPT int longest(void)
{
	return 4;
}
/* A name of 159 characters, and one of 160 that begins so. */
#define DIGITS	"0123456789"
#define HUNDRED	DIGITS DIGITS DIGITS DIGITS DIGITS \
		DIGITS DIGITS DIGITS DIGITS DIGITS
#define LETTERS	"a" HUNDRED DIGITS DIGITS DIGITS DIGITS
int whole(void) __asm__("_Z141" LETTERS "iiiiiiiiiiiii");
KEPT int whole(void)
{
	return 5;
}
int beyond(void) __asm__("_Z141" LETTERS "iiiiiiiiiiiiii");
KEPT int beyond(void)
{
	return 6;
}
/* libstdc++ of gcc 12 reads it without end. */
int endless(void) __asm__("_Z1fIXsrU");
KEPT int endless(void)
{
	return 7;
}
}

static void hit(const void *p)
{
	TAFFRAIL_EVENT(app, hit, TAFFRAIL_SYMBOL(p));
}

int main()
{
	int (store::table::*get)(const std::string &) const =
		&store::table::get;

	hit(*reinterpret_cast<const void **>(&get));
	hit(*reinterpret_cast<const char **>(&get) + 1);
	hit(reinterpret_cast<const void *>(&store::twice<double>));
	hit(&store::table::rows);
	hit(reinterpret_cast<const void *>(&hidden));
	hit(reinterpret_cast<const void *>(&operator""_km));
	hit(reinterpret_cast<const void *>(&plain));
	hit(reinterpret_cast<const void *>(&_Zippy));
	hit(reinterpret_cast<const void *>(&longer));
	hit(reinterpret_cast<const void *>(&longest));
	hit(reinterpret_cast<const void *>(&whole));
	hit(reinterpret_cast<const void *>(&beyond));
	hit(reinterpret_cast<const void *>(&endless));
	return 0;
}
