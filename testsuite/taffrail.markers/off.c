/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions with and without a marker (-DMARKERS): off.exp counts the
 * instructions that a marker adds while it is off.
 */
#ifdef MARKERS
#include <taffrail/marker.h>
#define MARKER(...)	TAFFRAIL_EVENT(app, off, __VA_ARGS__)
#else
#define MARKER(...)	(void)0
#endif

int number;
void other(void);
void leaf_end(long x);
void leaf_string(int x);
void leaf_middle(long x);
void leaf_fields(int x, const char *s);
void leaf_kept(int x, long *to);
int caller(int x, const char *s);

/* Functions that call no other one. */
void leaf_end(long x)
{
	(void)x;
	number++;
	MARKER(x);
}

void leaf_string(int x)
{
	(void)x;
	number++;
	MARKER(x, "text");
}

void leaf_middle(long x)
{
	(void)x;
	MARKER(x);
	number++;
}

void leaf_fields(int x, const char *s)
{
	(void)x;
	(void)s;
	MARKER(x, s, 1, 2, 3, 4.5);
	number++;
}

/* `to` is needed behind the marker. */
void leaf_kept(int x, long *to)
{
	(void)x;
	MARKER(x);
	*to = 1;
}

int caller(int x, const char *s)
{
	other();
	MARKER(x, s);
	other();
	return x + (s != 0);
}
