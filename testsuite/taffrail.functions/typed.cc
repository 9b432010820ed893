// SPDX-License-Identifier: LGPL-2.1-or-later
// Functions with arguments of all kinds, and their results; each prints what it
// got, as `view` prints it.
#include <cstdio>
#include <memory>
#include <string>

#define FUNCTION __attribute__((noinline))

struct small {
	int x, y;
};
struct reals {
	float a, b;
	double c;
};
struct mixed {
	double d;
	int i;
};
struct big {
	long a[3];
};
struct copied {
	int v;
	copied(int x) : v(x) {}
	copied(const copied &other) : v(other.v) {}
	~copied() {}
};
enum class color : char { RED, BLUE = 7 };

FUNCTION int one(int a, small s, int b, const char *text)
{
	std::printf("one a = %d\none b = %d\none text = \"%s\"\n", a, b, text);
	std::printf("one x = %d\none y = %d\n", s.x, s.y);
	std::printf("one value = %d\n", s.x - 5);
	return s.x - 5;
}

FUNCTION double two(reals r, float f, mixed m, short b, double g)
{
	std::printf("two f = %g\ntwo b = %d\ntwo g = %g\n", f, b, g);
	std::printf("two a = %g\ntwo b_2 = %g\ntwo c = %g\n", r.a, r.b, r.c);
	std::printf("two d = %g\ntwo i = %d\n", m.d, m.i);
	std::printf("two value = %g\n", r.c + m.d);
	return r.c + m.d;
}

FUNCTION unsigned char three(big g, int a, copied c, unsigned b, color d)
{
	std::printf("three a = %d\nthree b = %u\nthree d = BLUE\n", a, b);
	if (d != color::BLUE)
		return 0;
	std::printf("three v = %d\n", c.v);
	std::printf("three value = %d\n", 200 + c.v + (int)g.a[0]);
	return (unsigned char)(200 + c.v + g.a[0]);
}

FUNCTION big four(int a, double d)
{
	std::printf("four a = %d\nfour d = %g\n", a, d);
	return big{ { a } };
}

FUNCTION copied five(int a, std::string s, int b)
{
	std::printf("five a = %d\nfive b = %d\n", a, b);
	std::printf("five s = \"%s\"\n", s.c_str());
	return copied(a);
}

FUNCTION float six(int &r, std::unique_ptr<int> p, bool q, signed char c,
		   unsigned long z)
{
	std::printf("six q = %d\nsix c = %d\nsix z = %lu\n", q, c, z);
	std::printf("six value = %g\n", r * 0.5f);
	return (float)r * 0.5f;
}

FUNCTION void seven(int a, int b, int c, int d, small s, small t, int e, long l)
{
	std::printf("seven a = %d\nseven b = %d\nseven c = %d\nseven d = %d\n",
		    a, b, c, d);
	std::printf("seven x = %d\nseven y = %d\n", s.x, s.y);
	std::printf("seven x_2 = %d\n", t.x);
	std::printf("seven e = %d\nseven l = %ld\n", e, l);
}

FUNCTION bool eight(const char *, ...)
{
	std::printf("eight value = 1\n");
	return true;
}

namespace shop
{
struct cart {
	long n;
	FUNCTION long add(int k, double w)
	{
		std::printf("add k = %d\nadd w = %g\nadd value = %ld\n", k, w,
			    n + k);
		return n += k;
	}
};
} // namespace shop

int main()
{
	int r = 15;

	for (int i = 0; i < 3; i++) {
		shop::cart c = { -40 };

		one(i - 1, { 2 + i, 3 }, 1 << (10 * i), i ? "pear" : "");
		two({ 1, 2, 3 }, 1.5f * (float)i, { 2.5, 6 }, (short)-i, 0.25);
		three({ { i, 2, 3 } }, i * 1000, copied(9), 4000000000u,
		      color::BLUE);
		four(11, 1.25);
		five(12, "text", i);
		six(r, std::unique_ptr<int>(new int(1)), i != 1,
		    (signed char)-i, ~0ul - (unsigned long)i);
		seven(1, 2, i, 4, { 5, 6 }, { 7, 8 }, 9, 10);
		eight("%d %g", 1, 1.5);
		c.add(i + 1, 2.5);
	}
}
