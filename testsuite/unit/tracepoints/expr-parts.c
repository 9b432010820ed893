/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions on elements of arrays, on members of structures in arrays, on the
 * options of unions, and on names of several values: compiled, verified, run.
 */
#include "testsuite/unit/condition.h"

#include <errno.h>

#include "include/taffrail/site.h"
#include "tracepoints/conditions/ax.h"
#include "tracepoints/conditions/expr-private.h"

/* An event with arrays, a structure's array, and values of several types. */
static const struct field_name names[] = {
	{ .name = "v" }, { .name = "d" }, { .name = "at.0.x" },
	{ .name = "at.1.x" }, { .name = "u.tag" }, { .name = "u.value" },
	{ .name = "w.tag" }, { .name = "w.value" }, { .name = "n" },
	{ .name = "u64s" }, { .name = "big" }, { .name = "txt" },
};
static const uint8_t types[TAFFRAIL_FIELDS_MAX] = {
	0x40 | TAFFRAIL_T_S16, 0x80 | TAFFRAIL_T_F32, TAFFRAIL_T_S32,
	TAFFRAIL_T_S32, TAFFRAIL_T_U32, 0x40 | TAFFRAIL_T_U8, TAFFRAIL_T_U32,
	0x40 | TAFFRAIL_T_U8, TAFFRAIL_T_S32, 0x40 | TAFFRAIL_T_U64,
	0x40 | TAFFRAIL_T_S16, 0x80 | TAFFRAIL_T_S8,
};
static const struct {
	int32_t x[2];
	uint32_t u, w;
	int32_t n;
} __attribute__((packed)) block = { { 11, 22 }, 1, 2, -9 };
static const int16_t shorts[] = { -300, 5, 32767 };
static const float floats[] = { 1.5f, -2.5f };
static const double real = 2.5;
static const uint64_t larges[] = { UINT64_MAX };
static const struct write_var var[] = {
	{ shorts, 3 }, { floats, 2 }, { &real, 8 }, { "hello!", 5 },
	{ larges, 1 }, { "\1\2\xff\xfe", 2 }, { "abcd", 4 },
};
static const struct write_shape shape = {
	.fixed_bytes = sizeof(block), .nvar = 7,
	.var = { { 0, 2, 0, 0 }, { 0, 4, WRITE_RULE_BARE, 0 }, { 12, 1, 0, 0 },
		 { 16, 1, 0, 0 }, { 20, 8, 0, 0 }, { 20, 2, 0, 0 },
		 { 20, 1, WRITE_RULE_BARE, 0 } },
};
static const struct ax_layout layout = { &shape, types };
static const struct __attribute__((packed)) {
	struct {
		struct taffrail_shown head;
		int64_t values[4];
		char labels[24];
	} __attribute__((packed)) of[2];
	struct taffrail_shown big, count;
	int64_t four;
	struct taffrail_shown chars, ranges;
	int64_t values[12];
	char labels[28];
} shown = { {
	{ { 6, TAFFRAIL_HOW_VARIANT, 4, 56 },
	  { TAFFRAIL_T_S32, TAFFRAIL_T_F64, TAFFRAIL_T_STRING, 0 },
	  "INT, a::REAL, s, none" },
	{ { 8, TAFFRAIL_HOW_VARIANT, 4, 56 },
	  { TAFFRAIL_T_S32, TAFFRAIL_T_F64, TAFFRAIL_T_STRING, 0 },
	  "INT, REAL, text, none" },
}, { 11, TAFFRAIL_HOW_BIG_ENDIAN, 0, 0 }, { 12, TAFFRAIL_HOW_COUNT, 1, 8 }, 4,
   { 12, TAFFRAIL_HOW_CHARS, 0, 0 }, { 9, TAFFRAIL_HOW_RANGES, 12, 96 + 28 },
   { -20, -5, -9, -9, 0, INT64_MAX, INT64_MIN, -10, 1, 2, 4, 5 },
   "NEG\0k::NINE\0POS\0LOW\0TWO\0TWO" };
static const struct expr_fields fields = {
	names, types, 12, { (const char *)&shown,
				      (const char *)(&shown + 1) }, NULL, true,
	NULL, 0
};

static int make(const char *text, struct expr_error *error)
{
	struct ax_source source = { .layout = &layout };

	return condition_make(text, &fields, source, error);
}

static const struct {
	const char *text;
	int holds;
} rows[] = {
	{ "v[0] == -300", 1 }, { "v[1] == 5 && v[2] > 32766", 1 },
	{ "v[3] == 0", 0 }, { "v[3] != 0", 0 }, { "!(v[3] == 0)", 1 },
	{ "v[65535] < 1", 0 }, { "v[3] == 0 || v[1] == 5", 1 },
	{ "v[0] + v[1] == -295", 1 }, { "v[0] + v[3] == -300", 0 },
	{ "v[1]", 1 }, { "v[3]", 0 }, { "!v[3]", 1 }, { "v.1 == 5", 1 },
	{ "(v[1] > 2) + (v[3] > -1) == 1", 1 }, { "5 == v[1]", 1 },
	{ "d[0] == 1.5 && d[1] < -2", 1 }, { "d[2] != 7", 0 },
	{ "d[1]", 1 }, { "d[2] < 1 || d[0] > d[1]", 1 },
	{ "u64s[0] > -1 && u64s[0] == 18446744073709551615", 1 },
	{ "u64s[1] < 1", 0 },
	{ "at[1].x == 22 && at.0.x == 11", 1 },
	{ "u.REAL > 2 && u.REAL < 3", 1 }, { "u.INT == 0", 0 },
	{ "u.INT != 77 || u.s == \"\"", 0 }, { "!(u.INT == 0)", 1 },
	{ "w.text == \"hello\"", 1 }, { "w.text ~ \"*!\"", 0 },
	{ "w.text != \"hell\" && w.text !~ \"x*\"", 1 },
	{ "w.REAL < 1e300", 0 }, { "n == -9 && u.REAL == 2.5", 1 },
	{ "u.tag == 1 && u.REAL * 2 == 5", 1 },
	{ "big[0] == 258 && big[1] == -2", 1 }, { "big[2] == 0", 0 },
	{ "big[0] + big[1] == 256", 1 }, { "v[0] == 0xfed4 - 0x10000", 1 },
	{ "txt == \"abcd\" && txt ~ \"a*d\"", 1 }, { "txt == \"abc\"", 0 },
	{ "txt != \"abcde\" && txt !~ \"b*\"", 1 },
	{ "n == NEG && NEG == n", 1 }, { "n != NEG", 0 }, { "n == NINE", 1 },
	{ "n == POS || n == LOW", 0 }, { "n != POS && n != LOW", 1 },
	{ "n - 1 == LOW && n + 9 == POS", 1 }, { "-10 == LOW", 1 },
	{ "v[0] == LOW", 1 }, { "v[3] == POS", 0 }, { "v[3] != LOW", 0 },
	{ "!(v[3] == POS)", 1 }, { "(n == NEG) + (n == POS) == 1", 1 },
	{ "n > NINE", 0 }, { "n >= NINE", 1 },
	{ "n == \"NEG\" && \"k::NINE\" == n", 1 }, { "n != \"LOW\"", 1 },
	{ "n == \"P\\x4fS\" || n == \"LOW\"", 0 },
	{ "\"POS\" != n && n == \"NEG\"", 1 },
};

static void check_rows(void)
{
	struct ax_event event = { .fixed = (uintptr_t)&block,
				  .var = var };
	struct expr_error error;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *text = rows[i].text;

		if (!unit_equal(make(text, &error),
				0, "\"%s\" compiles", text)) {
			printf("# %u: %s\n", error.column, error.fact);
			continue;
		}
		unit_equal(ax_holds(program, &event, NULL), rows[i].holds,
			   "\"%s\"", text);
		unit_equal(expr_check(text, &error), 0,
			   "\"%s\" could be a condition", text);
	}
}

static const struct {
	const char *text;
	int ret;
	const char *fact;
} errors[] = {
	{ "v == 1", -ESRCH,
	  "the field \"v\" is an array: name an element, as in v[0]" },
	{ "u.value == 1", -ESRCH,
	  "the field \"u.value\" is one of several: name an option" },
	{ "v[n] == 1", -ENOENT, NULL }, { "v[ == 1", -ENOENT, NULL },
	{ "v[1 == 1", -ENOENT, NULL }, { "v[] == 1", -ENOENT, NULL },
	{ "v[1]] == 1", -ENOENT, NULL }, { "v[1][2] == 1", -ENOENT, NULL },
	{ "v.1] == 1", -ENOENT, NULL }, { "v[65536] == 1", -ENOENT, NULL },
	{ "v[99999999999] == 1", -ENOENT, NULL }, { "n[0]", -ENOENT, NULL },
	{ "v[-1] == 1", -ENOENT, NULL }, { "u.none == 1", -ENOENT, NULL },
	{ "u.RE == 1", -ENOENT, NULL }, { "u. == 1", -ENOENT, NULL },
	{ "u.REALS", -ENOENT, NULL }, { "at[1]x", -ENOENT, NULL },
	{ "u.s == 5", -ESRCH, "a number is compared with a string" },
	{ "n > NEG", -ESRCH,
	  "the name stands for several values: use == or !=" },
	{ "NEG", -ESRCH, "the name stands for several values: use == or !=" },
	{ "n == 1 && !NEG", -ESRCH,
	  "the name stands for several values: use == or !=" },
	{ "n == ~NEG", -ESRCH,
	  "the name stands for several values: use == or !=" },
	{ "n == -NEG", -ESRCH,
	  "the name stands for several values: use == or !=" },
	{ "NEG == POS", -ESRCH,
	  "the name stands for several values: use == or !=" },
	{ "d[0] == NEG", -ESRCH,
	  "the name stands for several values: use == or !=" },
	{ "n == 2 * NEG", -ESRCH,
	  "the name stands for several values: use == or !=" },
	{ "n == TWO", -ESRCH, "the name \"TWO\" stands for several ranges: "
			      "compare with numbers" },
	{ "n == INE", -ENOENT, NULL }, { "n == k", -ENOENT, NULL },
	{ "n == \"NE\"", -ESRCH, "no value of the field has this name" },
	{ "n == \"NEGA\"", -ESRCH, "no value of the field has this name" },
	{ "\"NINE\" == n", -ESRCH, "no value of the field has this name" },
	{ "n == \"TWO\"", -ESRCH, "the name stands for several ranges: "
				    "compare with numbers" },
	{ "n + 1 == \"NEG\"", -ESRCH,
	  "a number is compared with a string" },
	{ "-n == \"NEG\"", -ESRCH, "a number is compared with a string" },
	{ "n < \"NEG\"", -ESRCH,
	  "strings have no order: use ==, != or ~" },
	{ "n ~ \"NEG\"", -ESRCH, "a number is compared with a string" },
	{ "v[0] == \"NEG\"", -ESRCH, "a number is compared with a string" },
	{ "\"NEG\" == \"NEG\"", -ESRCH, NULL },
	{ "txt == 5", -ESRCH, "a number is compared with a string" },
	{ "txt[0] == 97", -ENOENT, NULL }, { "txt", -ESRCH, NULL },
	{ "big == 1", -ESRCH,
	  "the field \"big\" is an array: name an element, as in v[0]" },
	{ "v[0]+v[0]+v[0]+v[0]+v[0]+v[0]+v[0]+v[0]+v[0] > 1", -EINVAL,
	  "too many elements in a comparison" },
};

static void check_errors(void)
{
	struct expr_error error;
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		const char *text = errors[i].text;

		unit_equal(make(text, &error),
			   errors[i].ret, "\"%s\" is refused", text);
		if (errors[i].fact)
			unit_equal_string(error.fact, errors[i].fact,
					  "\"%s\": why", text);
	}
}

int main(void)
{
	check_rows();
	check_errors();
	return unit_end();
}
