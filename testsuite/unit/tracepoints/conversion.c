/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conversions against those of the C library: flags, widths and precisions
 * mixed by chance, numbers of every size. The C library reads the shortest
 * digits back, and the test looks for shorter ones.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "testsuite/unit/unit.h"
#include "tracepoints/fields/ax-double.h"
#include "tracepoints/fields/conversion-private.h"

#define OUT_BYTES	2000

static uint64_t seed = 1;

static uint32_t pick(uint32_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % below;
}

static uint64_t pick_bits(void)
{
	return (uint64_t)pick(1u << 31) << 40 ^ (uint64_t)pick(1u << 31) << 20 ^
	       pick(1u << 31);
}

/* Makes a random directive, as text and as struct. */
static void directive_pick(struct conversion *c, char *text, const char *length,
			   char letter, uint32_t most)
{
	static const char flags[] = "-+ #0";
	char *p = text;
	int i;

	*c = (struct conversion){ .letter = letter, .precision = -1 };
	*p++ = '%';
	for (i = 0; flags[i]; i++) {
		/* what C leaves undefined */
		if (pick(3) || (flags[i] == '#' && strchr("diu", letter)))
			continue;
		*p++ = flags[i];
		c->flags |= (uint8_t)(1u << i);
	}
	if (pick(2)) {
		c->width = (int32_t)(1 + pick(most));
		p += sprintf(p, "%d", c->width);
	}
	if (pick(2)) {
		c->precision = (int32_t)pick(most);
		p += sprintf(p, ".%d", c->precision);
	}
	sprintf(p, "%s%c", length, letter);
}

static bool same(const char *got, const char *want, const char *format)
{
	if (!strcmp(got, want))
		return true;
	printf("# %s gave \"%s\", not \"%s\"\n", format, got, want);
	return false;
}

static uint64_t integer_pick(void)
{
	switch (pick(4)) {
	case 0:
		return pick(3) - 1ull;
	case 1:
		return 1ull << pick(64);
	case 2:
		return 0 - (1ull << pick(64));
	default:
		return pick_bits() >> pick(64);
	}
}

static void test_integers(void)
{
	char want[OUT_BYTES], got[OUT_BYTES], format[64];
	struct conversion c;
	struct text text;
	bool good = true;
	int i;

	for (i = 0; i < 200000 && good; i++) {
		unsigned long long value = integer_pick();

		directive_pick(&c, format, "ll", "diouxX"[pick(6)], 40);
		snprintf(want, sizeof(want), format, value);
		text_open(&text, got, sizeof(got));
		conversion_integer(&text, &c, value);
		good = same(got, want, format);
	}
	unit_check(good, "integers as printf() has them");
}

/* Returns a number: of any size, a tie, or one at the ends of the range. */
static uint64_t double_pick(void)
{
	double number;
	uint64_t bits;

	switch (pick(8)) {
	case 0:
		number = (double)pick(100000) / 8;
		break;
	case 1:
		number = (double)pick(1000) / 1000;
		break;
	case 2:
		number = ldexp(1, (int)pick(2098) - 1074);
		break;
	case 3:
		return pick_bits() >> pick(64);
	case 4:
		number = (double)pick_bits();
		break;
	case 5:
		number = pick(2) ? INFINITY : pick(2) ? NAN : 0;
		break;
	case 6:
		number = pow(10, (int)pick(640) - 330);
		break;
	default:
		return pick_bits();
	}
	memcpy(&bits, &number, 8);
	return bits ^ (pick(2) ? DOUBLE_SIGN : 0);
}

static double double_of(uint64_t bits)
{
	double number;

	memcpy(&number, &bits, 8);
	return number;
}

static void test_doubles(const char *letters, const char *name)
{
	char want[OUT_BYTES], got[OUT_BYTES], format[64];
	struct conversion c;
	struct text text;
	bool good = true;
	int i;

	for (i = 0; i < 40000 && good; i++) {
		uint64_t bits = double_pick();

		directive_pick(&c, format, "", letters[pick(2)],
			       pick(4) ? 20 : 1200);
		snprintf(want, sizeof(want), format, double_of(bits));
		text_open(&text, got, sizeof(got));
		conversion_double(&text, &c, bits);
		good = same(got, want, format);
	}
	unit_check(good, "%s as printf() has them", name);
}

/* Returns whether a number of n digits reads back as the same: the nearest, or
 * one beside it. */
static bool digits_do(double number, int n, bool single)
{
	char text[64];
	unsigned long long digits = 0;
	int exponent;
	int step;
	char *p;

	snprintf(text, sizeof(text), "%.*e", n - 1, fabs(number));
	for (p = text; *p != 'e'; p++)
		if (*p != '.')
			digits = digits * 10 + (unsigned long long)(*p - '0');
	exponent = atoi(p + 1) - (n - 1);
	for (step = -1; step <= 1; step++) {
		snprintf(text, sizeof(text), "%llue%d",
			 digits + (unsigned long long)step, exponent);
		if (single ? strtof(text, NULL) == (float)fabs(number) :
			     strtod(text, NULL) == fabs(number))
			return true;
	}
	return false;
}

/* Digits without zeros at the ends. */
static int digits_in(const char *text)
{
	int zeros = 0;
	int n = 0;

	for (; *text && *text != 'e'; text++) {
		if (*text < '0' || *text > '9')
			continue;
		if (*text == '0') {
			zeros++;
			continue;
		}
		n += n ? zeros + 1 : 1;
		zeros = 0;
	}
	return n;
}

static bool shortest_good(const char *got, double number, bool single)
{
	bool back = single ? strtof(got, NULL) == (float)number :
			     strtod(got, NULL) == number;
	int n = digits_in(got);

	if (isnan(number))
		return strstr(got, "nan");
	if (!back || signbit(number) != (*got == '-') ||
	    (n > 1 && digits_do(number, n - 1, single))) {
		printf("# %a gave %s\n", number, got);
		return false;
	}
	return true;
}

static void test_shortest(void)
{
	char got[OUT_BYTES];
	struct text text;
	bool doubles = true;
	bool floats = true;
	int i;

	for (i = 0; i < 100000 && doubles && floats; i++) {
		uint64_t bits = double_pick();
		float single = (float)double_of(bits);
		uint32_t word;

		text_open(&text, got, sizeof(got));
		conversion_shortest_double(&text, bits);
		doubles = shortest_good(got, double_of(bits), false);
		memcpy(&word, &single, 4);
		if (pick(2))
			word = pick(1u << 31) << 1;
		memcpy(&single, &word, 4);
		text_open(&text, got, sizeof(got));
		conversion_shortest_float(&text, word);
		floats = shortest_good(got, (double)single, true);
	}
	unit_check(doubles, "doubles: read back, and none is shorter");
	unit_check(floats, "floats: read back, and none is shorter");
}

static void test_known(void)
{
	static const struct {
		double number;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ -0.0, "-0" },
		{ 0.1, "0.1" },
		{ 250, "250" },
		{ -1.5, "-1.5" },
		{ 1e16, "10000000000000000" },
		{ 1e17, "1e+17" },
		{ 0.0001, "0.0001" },
		{ 0.00001, "1e-05" },
		{ 5e-324, "5e-324" },
		{ DBL_MAX, "1.7976931348623157e+308" },
		/* the number below is nearer than the one above */
		{ 0x1p-44, "5.684341886080802e-14" },
		{ 9007199254740993.0, "9007199254740992" },
		{ INFINITY, "inf" },
		{ -INFINITY, "-inf" },
		{ NAN, "nan" },
	};
	char got[64];
	struct text text;
	uint64_t bits;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memcpy(&bits, &rows[i].number, 8);
		text_open(&text, got, sizeof(got));
		conversion_shortest_double(&text, bits);
		unit_equal_string(got, rows[i].text, "shortest %s",
				  rows[i].text);
	}
	text_open(&text, got, sizeof(got));
	conversion_shortest_float(&text, 0x3dcccccd);
	unit_equal_string(got, "0.1", "shortest float");
}

/* A text that is too small has the beginning. */
static void test_small(void)
{
	char want[OUT_BYTES], got[OUT_BYTES], format[64];
	struct conversion c;
	struct text text;
	bool good = true;
	int i;

	for (i = 0; i < 40000 && good; i++) {
		uint64_t bits = double_pick();
		size_t size = 1 + pick(40);

		directive_pick(&c, format, "", "aefg"[pick(4)], 300);
		snprintf(want, size, format, double_of(bits));
		got[size] = 'x';
		text_open(&text, got, size);
		conversion_double(&text, &c, bits);
		good = same(got, want, format) && got[size] == 'x';
	}
	unit_check(good, "a text that is too small");
	c = (struct conversion){ .letter = 'f', .width = CONVERSION_MOST,
				 .precision = CONVERSION_MOST };
	text_open(&text, got, 10);
	conversion_double(&text, &c, 0);
	conversion_integer(&text, &c, 5);
	conversion_string(&text, &c, "x", 1);
	unit_equal_string(got, "0.0000000", "widths of millions");
}

int main(void)
{
	test_integers();
	test_doubles("fF", "%f");
	test_doubles("eE", "%e");
	test_doubles("gG", "%g");
	test_doubles("aA", "%a");
	test_shortest();
	test_known();
	test_small();
	return unit_end();
}
