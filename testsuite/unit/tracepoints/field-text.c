/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields as text: marks against the C library's printf(), events against the
 * rules of field-text.h, all of them also cut short; and random bytes, types
 * and formats, in memory that an unmapped page follows.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "taffrail/site.h"
#include "testsuite/unit/unit.h"
#include "tracepoints/fields/field-text.h"

#define TEXT_BYTES	1000

static uint64_t seed = 1;

static uint32_t pick(uint32_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % below;
}

/* An event that is being made. */
static uint8_t bytes[4096];
static uint32_t nbytes;
static uint8_t types[TAFFRAIL_FIELDS_MAX];
static uint8_t nfields;
static char got[TEXT_BYTES];

static void add(uint8_t type, const void *p, size_t n)
{
	types[nfields++] = type;
	memcpy(bytes + nbytes, p, n);
	nbytes += (uint32_t)n;
}

static void add_string(const char *s)
{
	add(TAFFRAIL_T_STRING, s, strlen(s) + 1);
}

#define ADD(type, c, value) do {					\
	c add_value_ = (c)(value);					\
	add(type, &add_value_, sizeof(add_value_));			\
} while (0)

static const char *show_bytes(int kind, const char *format, uint32_t n)
{
	struct field_event event = { (uint8_t)kind, nfields, types, format,
				     { 0 } };
	struct text text;

	text_open(&text, got, sizeof(got));
	field_text(&text, &event, bytes, n);
	return got;
}

/* Returns the text of the event, and begins a new event. */
static const char *show(int kind, const char *format)
{
	show_bytes(kind, format, nbytes);
	nbytes = nfields = 0;
	return got;
}

#define MARK	TAFFRAIL_KIND_MARK
#define EVENT	TAFFRAIL_KIND_EVENT

#define SAME(want, format)						\
	unit_equal_string(show(MARK, format), want, "mark: %s", format)

/* One value, compared with printf() */
#define LIKE(format, type, c, value) do {				\
	char like_[TEXT_BYTES];						\
	snprintf(like_, sizeof(like_), format, (c)(value));		\
	ADD(type, c, value);						\
	SAME(like_, format);						\
} while (0)

static void test_marks(void)
{
	add_string("FOOBAZ");
	SAME("str FOOBAZ", "str %s");
	ADD(TAFFRAIL_T_S32, int, 53);
	ADD(TAFFRAIL_T_S32, int, 9800);
	SAME("number1 53 number2 9800", "number1 %d number2 %d");
	SAME(" ", " ");
	SAME("100% sure, %m", "100%% sure, %m");
	add_string("left");
	add_string("cut off");
	SAME("[left      ][   cut]", "[%-10s][%6.3s]");
	add_string("(null)");
	add_string("(null)");
	SAME("[(null)][  (null)]", "[%.3s][%8.0s]");
	ADD(TAFFRAIL_T_S32, int, -8);
	ADD(TAFFRAIL_T_S32, int, 7);
	SAME("7       |", "%*d|");
	ADD(TAFFRAIL_T_S32, int, 9);
	ADD(TAFFRAIL_T_S32, int, 2);
	ADD(TAFFRAIL_T_F64, double, 3.14159);
	SAME("     3.14", "%*.*f");
	ADD(TAFFRAIL_T_S32, int, 3);
	add_string("abcdef");
	SAME("abc", "%.*s");
	ADD(TAFFRAIL_T_S32, int, 1);
	add_string("two");
	SAME("two 1", "%2$s %1$d");
	ADD(TAFFRAIL_T_PTR, uint64_t, 0xbeef);
	ADD(TAFFRAIL_T_PTR, uint64_t, 0);
	SAME("0xbeef (nil)", "%p %p");
	ADD(TAFFRAIL_T_S32, int, 0x20ac);
	SAME("\xe2\x82\xac", "%lc");
	ADD(TAFFRAIL_T_S32, int, 0);
	SAME("a  b", "a%2cb");
	ADD(TAFFRAIL_T_PTR, uint64_t, 16);
	SAME("n", "n%n");
}

/* Some arguments do not have the format's size: clang warns of them. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
static void test_types(void)
{
	LIKE("%hhd", TAFFRAIL_T_S32, int, 300);
	LIKE("%hu", TAFFRAIL_T_S32, int, -1);
	LIKE("%u", TAFFRAIL_T_S32, int, -1);
	LIKE("%x", TAFFRAIL_T_S8, signed char, -1);
	LIKE("%d", TAFFRAIL_T_U8, unsigned char, 255);
	LIKE("%d", TAFFRAIL_T_U16, unsigned short, 65535);
	LIKE("%o", TAFFRAIL_T_S16, short, -2);
	LIKE("%d", TAFFRAIL_T_U32, unsigned int, 4294967295u);
	LIKE("%ld", TAFFRAIL_T_S64, long, INT64_MIN);
	LIKE("%zu", TAFFRAIL_T_U64, size_t, ~0ul);
	LIKE("%#llx", TAFFRAIL_T_U64, unsigned long long, ~0ull);
	LIKE("%jd", TAFFRAIL_T_S64, intmax_t, -5);
	LIKE("%td", TAFFRAIL_T_S64, ptrdiff_t, -5);
	LIKE("%c", TAFFRAIL_T_S32, int, 'x');
	LIKE("%3c|", TAFFRAIL_T_S32, int, 'x' + 256);
	LIKE("%-3c|", TAFFRAIL_T_S8, signed char, 'x');
	LIKE("%5.2f", TAFFRAIL_T_F64, double, 2.675);
	LIKE("%f", TAFFRAIL_T_F32, float, 0.1f);
	LIKE("%g", TAFFRAIL_T_F64, double, 1e-300);
	LIKE("%+.3e", TAFFRAIL_T_F64, double, -12345.678);
	LIKE("%p", TAFFRAIL_T_PTR, void *, 0x1234);
	LIKE("%20p|", TAFFRAIL_T_PTR, void *, NULL);
	LIKE("%-20p|", TAFFRAIL_T_PTR, void *, 0x1234);
	LIKE("%d", TAFFRAIL_T_BOOL, _Bool, 1);
}
#pragma GCC diagnostic pop

/* The text of a conversion that C leaves undefined shows the known part. */
static void test_mistakes(void)
{
	ADD(TAFFRAIL_T_S64, int64_t, 1ll << 40);
	SAME("1099511627776", "%d");
	ADD(TAFFRAIL_T_U32, uint32_t, 4294967295u);
	SAME("4294967295", "%ld");
	ADD(TAFFRAIL_T_F64, double, 1.5);
	SAME("  1.5", "%5d");
	ADD(TAFFRAIL_T_S32, int, -3);
	SAME("-3", "%f");
	ADD(TAFFRAIL_T_PTR, uint64_t, 0x77);
	SAME("0x77", "%s");
	add_string("text");
	SAME("text", "%d");
	ADD(TAFFRAIL_T_S32, int, 4);
	SAME("4 %d %s", "%d %d %s");
	ADD(TAFFRAIL_T_S32, int, 4);
	SAME("only %", "only %");
	ADD(TAFFRAIL_T_F64, double, 1);
	ADD(TAFFRAIL_T_S32, int, 4);
	SAME("%*d", "%*d");
}

static void test_events(void)
{
	uint32_t counted[] = { 2, 1, 2 };

	ADD(TAFFRAIL_T_S32, int, -7);
	add_string("/x");
	ADD(TAFFRAIL_T_F64, double, 0.1);
	unit_equal_string(show(EVENT, "req->id, url, now() - t0"),
			  "id = -7, url = \"/x\", t0 = 0.1", "event: plain");
	ADD(TAFFRAIL_T_PTR, uint64_t, 0xff);
	ADD(TAFFRAIL_T_BOOL, _Bool, 1);
	ADD(TAFFRAIL_T_U8, uint8_t, 255);
	ADD(TAFFRAIL_T_S8, int8_t, -1);
	ADD(TAFFRAIL_T_F32, float, 0.1f);
	unit_equal_string(show(EVENT, "p, b, u, s, f"),
			  "p = 0xff, b = 1, u = 255, s = -1, f = 0.1",
			  "event: types");
	add(TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U32, counted, sizeof(counted));
	counted[0] = 0;
	add(TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_S64, counted, 4);
	unit_equal_string(show(EVENT, "TAFFRAIL_ARRAY(v, 2), w"),
			  "v = {1, 2}, w = {}", "event: sequences");
	add_string("a\"b\\c\n\t\x1b\x01\x7f'?\xc3\xa4");
	unit_equal_string(show(EVENT, "s"),
			  "s = \"a\\\"b\\\\c\\n\\t\\e\\x01\\x7f\\'\\?\xc3\xa4\"",
			  "event: escapes");
	unit_equal_string(show(EVENT, ""), "", "event: no fields");
}

/* Cut short after n bytes. */
static void test_cut(void)
{
	uint32_t counted[] = { 2, 1, 2 };

	ADD(TAFFRAIL_T_S32, int, 7);
	add_string("abc");
	add(TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U32, counted, sizeof(counted));
	unit_equal_string(show_bytes(EVENT, "i, s, v", 0), "...",
			  "event: nothing");
	unit_equal_string(show_bytes(EVENT, "i, s, v", 3), "...",
			  "event: half an integer");
	unit_equal_string(show_bytes(EVENT, "i, s, v", 4), "i = 7, ...",
			  "event: an integer");
	unit_equal_string(show_bytes(EVENT, "i, s, v", 6),
			  "i = 7, s = \"ab...", "event: half a string");
	unit_equal_string(show_bytes(EVENT, "i, s, v", 17),
			  "i = 7, s = \"abc\", v = {1, ...",
			  "event: half a sequence");
	unit_equal_string(show_bytes(MARK, "%d [%5s] %p.", 4), "7 [...",
			  "mark: an integer");
	unit_equal_string(show_bytes(MARK, "%d [%5s] %p.", 6), "7 [ab...",
			  "mark: half a string");
	unit_equal_string(show_bytes(MARK, "%d [%5s] %p.", 8),
			  "7 [  abc] ...", "mark: a string");
	unit_equal_string(show_bytes(MARK, "%d [%5s] %p.", nbytes),
			  "7 [  abc] {1, 2}.", "mark: a sequence");
	unit_equal_string(show_bytes(MARK, "a %*d", 3), "a ...",
			  "mark: no width");
	nbytes = nfields = 0;
	ADD(TAFFRAIL_T_S32, int, INT32_MAX);
	ADD(TAFFRAIL_T_S32, int, INT32_MIN);
	ADD(TAFFRAIL_T_F64, double, 1);
	unit_equal(strlen(show(MARK, "%*.*f")), TEXT_BYTES - 1,
		   "mark: a width without end");
}

/* A sequence whose integers have the highest byte first, in any size. */
static void test_big(void)
{
	static const struct {
		uint8_t type;
		uint32_t bytes;
		const char *want;
	} rows[] = {
		{ TAFFRAIL_T_U8, 1, "n = {1}" },
		{ TAFFRAIL_T_U16, 2, "n = {258}" },
		{ TAFFRAIL_T_S32, 4, "n = {16909060}" },
		{ TAFFRAIL_T_U64, 8, "n = {72623859790382856}" },
	};
	static const uint8_t digits[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const char texts[] = "app\0big\0n\0app.c";
	const struct taffrail_shown how = { 1, TAFFRAIL_HOW_BIG_ENDIAN, 0, 1 };
	char said[sizeof(texts) + sizeof(how) + 1] = { 0 };
	struct text text;

	memcpy(said, texts, sizeof(texts));
	memcpy(said + sizeof(texts), &how, sizeof(how));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct field_event event = { EVENT, 1, types, "n",
			shown_behind(said, sizeof(said)) };

		ADD(TAFFRAIL_T_SEQUENCE | rows[i].type, uint32_t, 1);
		memcpy(bytes + nbytes, digits, rows[i].bytes);
		text_open(&text, got, sizeof(got));
		field_text(&text, &event, bytes, nbytes + rows[i].bytes);
		unit_equal_string(got, rows[i].want,
				  "highest byte first: %u bytes",
				  rows[i].bytes);
		nbytes = nfields = 0;
	}
}

/* Makes a format of letters that have a meaning. */
static void format_pick(char *format)
{
	static const char letters[] = "%%%%%%dioxXucspfeEgGaAmnk"
				      "-+ #0*.$'12399hlLqjzZt, ()\"\\<TAFr_";
	uint32_t n = pick(60);

	while (n--)
		*format++ = letters[pick(sizeof(letters) - 1)];
	*format = 0;
}

static void type_pick(uint8_t *type)
{
	switch (pick(4)) {
	case 0:
		*type = TAFFRAIL_T_STRING;
		break;
	case 1:
		*type = (uint8_t)(TAFFRAIL_T_SEQUENCE | pick(14));
		break;
	case 2:
		*type = (uint8_t)pick(256);
		break;
	default:
		*type = (uint8_t)(1 + pick(12));
	}
}

static void test_hostile(void)
{
	uint8_t *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool good = true;
	int i;

	mprotect(page + 4096, 4096, PROT_NONE);
	for (i = 0; i < 100000 && good; i++) {
		struct field_event event = { (uint8_t)(1 + pick(2)),
					     (uint8_t)pick(18), types, NULL,
					     { 0 } };
		uint32_t n = pick(200);
		size_t size = 1 + pick(pick(2) ? 20 : TEXT_BYTES - 1);
		uint8_t chosen[18];
		char copy[64];
		struct text text;
		uint32_t k;

		for (k = 0; k < sizeof(chosen); k++)
			type_pick(&chosen[k]);
		for (k = 0; k < n; k++)
			page[4096 - n + k] = pick(3) ? (uint8_t)pick(5) :
						       (uint8_t)pick(256);
		format_pick(copy);
		event.types = chosen;
		event.format = copy;
		memset(got, 'x', sizeof(got));
		text_open(&text, got, size);
		field_text(&text, &event, page + 4096 - n, n);
		good = text.used < size && got[text.used] == 0 &&
		       (size == sizeof(got) || got[size] == 'x');
	}
	munmap(page, 8192);
	unit_check(good, "bytes, types and formats by chance");
}

int main(void)
{
	test_marks();
	test_types();
	test_mistakes();
	test_events();
	test_cut();
	test_big();
	test_hostile();
	return unit_end();
}
