/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An address inside two functions that the compiler inlines, in C and in C++.
 */
#include <taffrail/marker.h>

#define ALWAYS	inline __attribute__((always_inline))
#define NEVER	__attribute__((noinline))

#ifdef __cplusplus
#define INLINED	ALWAYS
#define KEPT	NEVER
namespace store
{
#else
#define INLINED	static ALWAYS
#define KEPT	static NEVER
#endif
INLINED const void *here(void)
{
	const void *code;

	__asm__ volatile("lea 0(%%rip), %0" : "=r"(code)); /* innermost */
	return code;
}

INLINED const void *push(int n)
{
	return n ? here() : (const void *)0; /* middle */
}

KEPT const void *work(int n)
{
	return push(n); /* outermost */
}
#ifdef __cplusplus
}
using store::work;
#endif

int main(int argc, char **argv)
{
	(void)argv;
	TAFFRAIL_EVENT(app, at, TAFFRAIL_SYMBOL(work(argc)));
	return 0;
}
