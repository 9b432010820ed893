/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For sections.exp: functions with markers, of which nothing calls unused().
 * Compiled as C and as C++.
 */
#include <stdio.h>

#include <taffrail/marker.h>

#ifdef __cplusplus
#define INLINED	template <class T> inline
#else
#define INLINED	typedef int T; static inline
#endif

void unused_helper(int n);
void unused_helper(int n)
{
	printf("%d\n", n);
}

void unused(int n);
void unused(int n)
{
	TAFFRAIL_EVENT(app, unused, n);
	if (TAFFRAIL_ENABLED(app, unused))
		unused_helper(n);
	TAFFRAIL_EVENT(app, unused_too, "text");
}

INLINED void inlined(T n)
{
	TAFFRAIL_MARK(app, inlined, "n %d", n);
}

void used(int n);
void used(int n)
{
	TAFFRAIL_EVENT(app, used, n);
	TAFFRAIL_EVENT(app, second, n, "text");
	if (TAFFRAIL_ENABLED(app, second))
		TAFFRAIL_EVENT(app, asked, n);
	inlined(n);
}

int main(void)
{
	int i;

	for (i = 0; i < 3; i++)
		used(i);
	return 0;
}
