/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arguments and results in all places of the calling convention; each function
 * prints "FUNCTION NAME = VALUE" for each, as `view` prints it.
 */
#include <stdbool.h>
#include <stdio.h>

#ifndef OWN
#define OWN
#endif
#ifdef __clang__
#define FUNCTION __attribute__((noinline)) OWN
#else
#define FUNCTION __attribute__((noinline, noclone)) OWN
#endif
#define SHOW(function, format, name, value) \
	printf(function " " name " = " format "\n", value)

enum color { RED, GREEN = 5, BLUE };
struct flags {
	unsigned int low : 3;
	int high : 7;
	enum color tint;
};
struct mixed {
	double d;
	int i;
};
struct turned {
	long n;
	float f, g;
};
struct large {
	short s;
	int i;
	double d;
	unsigned long z;
};

FUNCTION enum color many(int a, int b, int c, int d, int e, int f, char g,
			 const char *text)
{
	SHOW("many", "%d", "a", a);
	SHOW("many", "%d", "b", b);
	SHOW("many", "%d", "c", c);
	SHOW("many", "%d", "d", d);
	SHOW("many", "%d", "e", e);
	SHOW("many", "%d", "f", f);
	SHOW("many", "%d", "g", g);
	SHOW("many", "\"%s\"", "text", text);
	printf("many value = BLUE\n");
	return BLUE;
}

FUNCTION double reals(double a, double b, double c, double d, double e,
		      double f, double g, float h, float i, double j)
{
	SHOW("reals", "%g", "a", a);
	SHOW("reals", "%g", "b", b);
	SHOW("reals", "%g", "c", c);
	SHOW("reals", "%g", "d", d);
	SHOW("reals", "%g", "e", e);
	SHOW("reals", "%g", "f", f);
	SHOW("reals", "%g", "g", g);
	SHOW("reals", "%g", "h", h);
	SHOW("reals", "%g", "i", i);
	SHOW("reals", "%g", "j", j);
	printf("reals value = %g\n", g + i + j);
	return g + i + j;
}

FUNCTION unsigned int parts(struct flags k, enum color tone, struct mixed m,
			    struct turned t)
{
	SHOW("parts", "%u", "low", k.low);
	SHOW("parts", "%d", "high", k.high);
	SHOW("parts", "%s", "tint", k.tint ? "GREEN" : "RED");
	SHOW("parts", "%s", "tone", tone == BLUE ? "BLUE" : "?");
	SHOW("parts", "%g", "d", m.d);
	SHOW("parts", "%d", "i", m.i);
	SHOW("parts", "%ld", "n", t.n);
	SHOW("parts", "%g", "f", t.f);
	printf("parts value = %u\n", (unsigned int)t.g);
	return (unsigned int)t.g;
}

FUNCTION struct large stack(int a, struct large l, enum color c, bool b)
{
	SHOW("stack", "%d", "a", a);
	SHOW("stack", "%d", "s", l.s);
	SHOW("stack", "%d", "i", l.i);
	SHOW("stack", "%g", "d", l.d);
	SHOW("stack", "%lu", "z", l.z);
	SHOW("stack", "%s", "c", c ? "GREEN" : "RED");
	SHOW("stack", "%d", "b", b);
	return l;
}

FUNCTION void odd(long double x, __int128 y, int z)
{
	SHOW("odd", "%d", "z", (int)(z + 0 * x + 0 * (int)y));
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 40; i++) {
		double r = i * 0.5;
		struct flags k = { i & 7, i - 20, i % 2 ? GREEN : RED };
		struct turned t = { -7l * i, (float)r, (float)i };
		struct large l = { (short)-i, i << 8, r, ~0ul - 7u * i };

		sum += many(i - 3, 2, 3, 4, 5, 1 << (i % 20), (char)(-i),
			    i % 2 ? "pear" : "") == RED;
		sum += reals(r, 2, 3, 4, 5, 6, -r, (float)r + 1, 9, i) < 0;
		sum += parts(k, BLUE, (struct mixed){ r, -i }, t) > 40;
		sum += stack(i, l, i % 3 ? GREEN : RED, i % 2).i & 1;
		odd(i, i, i);
	}
	return sum;
}
