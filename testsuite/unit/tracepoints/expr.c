/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions as users type them (tracepoints/conditions/expr.h): compiled,
 * verified, run.
 */
#include "testsuite/unit/condition.h"

#include <errno.h>
#include <stdlib.h>

#include "include/taffrail/site.h"
#include "tracepoints/conditions/ax.h"
#include "tracepoints/conditions/expr-private.h"

/* An event with a field of each type. */
static const struct field_name names[] = {
	{ .name = "s8" }, { .name = "u8" }, { .name = "s16" },
	{ .name = "u16" }, { .name = "s32" }, { .name = "u32" },
	{ .name = "s64" }, { .name = "u64" }, { .name = "f32" },
	{ .name = "f64" }, { .name = "ptr" }, { .name = "flag" },
	{ .name = "url" }, { .name = "cpu" }, { .name = "raw" },
	{ .name = "nan" },
};
static const uint8_t types[TAFFRAIL_FIELDS_MAX] = {
	TAFFRAIL_T_S8, TAFFRAIL_T_U8, TAFFRAIL_T_S16, TAFFRAIL_T_U16,
	TAFFRAIL_T_S32, TAFFRAIL_T_U32, TAFFRAIL_T_S64, TAFFRAIL_T_U64,
	TAFFRAIL_T_F32, TAFFRAIL_T_F64, TAFFRAIL_T_PTR, TAFFRAIL_T_BOOL,
	TAFFRAIL_T_STRING, TAFFRAIL_T_S32, 0x40 | TAFFRAIL_T_U8,
	TAFFRAIL_T_F64,
};
static const struct {
	int8_t s8;
	uint8_t u8;
	int16_t s16;
	uint16_t u16;
	int32_t s32;
	uint32_t u32;
	int64_t s64;
	uint64_t u64;
	float f32;
	double f64;
	void *ptr;
	_Bool flag;
	int32_t cpu;
	double nan;
} __attribute__((packed)) block = {
	-5, 200, -300, 60000, 1500, 4000000000u, -7000000000ll,
	18000000000000000000ull, 1.5f, -2.25, (void *)0x7fff12345678, 1, 77,
	__builtin_nan(""),
};
static const struct write_var var[] = { { "/index.html", WRITE_STRING },
					{ "raw", 3 } };
static const struct write_shape shape = {
	.fixed_bytes = sizeof(block), .nvar = 2,
	.var = { { sizeof(block) - 12, 0, 0, 0 },
		 { sizeof(block) - 8, 1, 0, 0 } },
};
static const struct ax_layout layout = { &shape, types };
static const struct taffrail_shown shown[] = {
	{ .field_ = 5, .how_ = TAFFRAIL_HOW_DURATION_MS },
	{ .field_ = 6, .how_ = TAFFRAIL_HOW_DURATION_US },
	{ .field_ = 7, .how_ = TAFFRAIL_HOW_TIME_NS },
	{ .field_ = 8, .how_ = TAFFRAIL_HOW_DURATION_NS },
};
static const struct expr_fields fields = {
	names, types, 16, { (const char *)shown, (const char *)(shown + 4) },
	"app/request", false, NULL, 0
};

static uint32_t fake_vtid(void *hit)
{
	(void)hit;
	return 4321;
}

static uint64_t fake_pthread(void *hit)
{
	(void)hit;
	return 0x7f0123456789;
}

static void fake_procname(void *hit, char *name)
{
	(void)hit;
	memcpy(name, "worker/3\0\0\0\0\0\0\0", 16);
}

static const struct ax_machine machine = {
	.vtid = fake_vtid,
	.cpu = fake_vtid,
	.vpid = fake_vtid,
	.pthread = fake_pthread,
	.ip = fake_pthread,
	.procname = fake_procname,
};

static int make(const char *text, const struct expr_fields *of,
		const struct ax_layout *in, struct expr_error *error)
{
	struct ax_source source = { .layout = in, .machine = &machine };

	return condition_make(text, of, source, error);
}

/* A text, and whether it holds for the event. */
static const struct {
	const char *text;
	int holds;
} rows[] = {
	{ "1", 1 }, { "0", 0 }, { "0x10 == 16 && 0X1F == 31", 1 },
	{ "017 == 15 && 0 == 00", 1 }, { "'a' == 97 && '\\n' == 10", 1 },
	{ "'\\x41' == 'A' && '\\101' == 'A' && '\\'' == 39", 1 },
	{ "10u == 10 && 10UL == 10ull && 10l == 10", 1 },
	{ "s8 == -5", 1 }, { "u8 == 200", 1 }, { "s16 == -300", 1 },
	{ "u16 == 60000", 1 }, { "s32 == 1500", 1 },
	{ "u32 == 4000000000", 1 }, { "s64 == -7000000000", 1 },
	{ "u64 == 18000000000000000000", 1 }, { "f32 == 1.5", 1 },
	{ "f64 == -2.25", 1 }, { "ptr == 0x7fff12345678", 1 },
	{ "flag", 1 }, { "!flag", 0 }, { "flag == 1", 1 },
	{ "s32 > 1000", 1 }, { "s32 > 1500", 0 }, { "s32 >= 1500", 1 },
	{ "s32 < 1500", 0 }, { "s32 <= 1500", 1 }, { "s32 != 1500", 0 },
	{ "1000 < s32", 1 }, { "1500 >= s32", 1 }, { "1000 > s32", 0 },
	/* signs: by value */
	{ "s8 < u64", 1 }, { "u64 > s8", 1 }, { "s8 > u64", 0 },
	{ "s8 >= u64", 0 }, { "u64 <= s8", 0 }, { "s8 <= u64", 1 },
	{ "s8 == u64", 0 }, { "s8 != u64", 1 }, { "u64 > -1", 1 },
	{ "u64 < -1", 0 }, { "u64 == -446744073709551616", 0 },
	{ "s8 < 0 && s8 < u8 && s8 < u32", 1 },
	{ "u64 > 9223372036854775807", 1 }, { "u32 > -1", 1 },
	{ "s64 < 18446744073709551615", 1 },
	{ "-9223372036854775808 < s64", 1 },
	{ "0xffffffffffffffff > 0", 1 }, { "-1 == 0xffffffffffffffff", 0 },
	/* arithmetic */
	{ "1 + 2 * 3 == 7", 1 }, { "(1 + 2) * 3 == 9", 1 },
	{ "10 - 3 - 2 == 5", 1 }, { "7 / 2 == 3 && -7 / 2 == -3", 1 },
	{ "7 % 3 == 1 && -7 % 3 == -1", 1 }, { "s8 / 2 == -2", 1 },
	{ "u64 / 2 == 9000000000000000000", 1 }, { "u64 % 7 == 3", 0 },
	{ "1 << 4 == 16", 1 }, { "-16 >> 2 == -4", 1 },
	{ "u64 >> 63 == 1", 1 }, { "1 << s32", 0 }, { "s8 >> s32 == -1", 1 },
	{ "(u8 & 0x0f) == 8 && (u8 | 1) == 201", 1 },
	{ "(u8 ^ 0xff) == 55 && ~0 == -1", 1 }, { "~s8 == 4", 1 },
	{ "-s8 == 5 && +s8 == -5 && - -s8 == -5", 1 },
	{ "-9223372036854775808 / -1 == -9223372036854775808", 1 },
	{ "9223372036854775807 + 1 < 0", 1 }, { "s32 / (s8 + 5)", 0 },
	{ "s32 % (s8 + 5) == 0", 0 }, { "flag || s32 / (s8 + 5)", 1 },
	{ "s32*2-3000", 0 },
	/* floats */
	{ "f32 > 1", 1 }, { "f32 < 2 && f32 <= 1.5 && f32 >= 1.5", 1 },
	{ "f32 >= 1", 1 }, { "f32 >= 2", 0 }, { "f32 <= 1", 0 },
	{ "f64 < f32", 1 }, { "f64 < s8", 0 }, { "s8 < f64", 1 },
	{ "f32 * 2 == 3", 1 }, { "f32 + f64 == -.75", 1 },
	{ "1 / 2. == 0.5", 1 }, { "f64 / 0 < -1e308", 1 }, { "-f64 > 2", 1 },
	{ "u64 == 1.8e19", 1 }, { "u64 + 0.0 == 1.8e+19", 1 }, { "f32", 1 },
	{ "0.0", 0 }, { "-0.0", 0 }, { "!f32", 0 }, { "f32 && f64", 1 },
	{ "nan == nan", 0 }, { "nan != nan", 1 }, { "nan < 1", 0 },
	{ "nan >= 1", 0 }, { "!(nan < 1)", 1 }, { "nan", 1 },
	{ "0.1f == 0.1 && 1.5L == 1.5", 1 }, { "5e-1 == .5 && 5. == 5", 1 },
	{ "9007199254740993 == 9007199254740992.0", 1 },
	/* logic */
	{ "1 && 1 && 0", 0 }, { "0 || 0 || 2", 1 }, { "1 || 0 && 0", 1 },
	{ "(1 || 0) && 0", 0 }, { "!0 && !!5", 1 }, { "(5 && 3) == 1", 1 },
	{ "(5 || 0) + (0 || 7) == 2", 1 }, { "2 && 4", 1 },
	{ "!s8 == 0", 1 }, { "s32>1000&&s32<2000", 1 },
	{ "(s8 < 0) == (u8 > 0)", 1 }, { "0 && s32 / 0.0", 0 },
	{ "!~-1", 1 }, { "! ~ -1", 1 },
	/* strings */
	{ "url == \"/index.html\"", 1 }, { "url != \"/index.html\"", 0 },
	{ "\"/index.html\" == url", 1 }, { "url == \"/index\"", 0 },
	{ "url == \"\"", 0 }, { "url != \"\"", 1 },
	{ "url == \"/ind\\145x\\x2ehtml\"", 1 }, { "url ~ \"/i*.html\"", 1 },
	{ "url !~ \"/i*.html\"", 0 }, { "url ~ \"*[a-c]*\"", 0 },
	{ "url ~ \"/index\"", 0 }, { "url == \"/i*\"", 0 },
	{ "!(url ~ \"*.gif\") && s32 == 1500", 1 },
	{ "(url == \"/x\") + (url ~ \"*\") == 1", 1 },
	/* units: s32 is ms, u32 us, s64 a time in ns, u64 ns */
	{ "s32 == 1.5s", 1 }, { "s32 > 1499999us", 1 },
	{ "s32 > 1500001us", 0 }, { "1500ms == s32", 1 },
	{ "s32 < 1.5001s && 1.4999s < s32", 1 },
	{ "s32 >= 1500000000ns", 1 }, { "s64 == -7s", 1 },
	{ "-7s == s64 && - -7s > s64", 1 }, { "s64 < -6.999999999s", 1 },
	{ "s64 > -7000000000.5ns", 1 }, { "u32 == 4000s", 1 },
	{ "u32 * 2 == 8000s && 2 * u32 == 8000s", 1 },
	{ "s32 + 1ms == 1501ms && 1s + s32 == 2500ms", 1 },
	{ "s32 - 1 == 1499ms", 1 }, { "(s32) > (1s)", 1 },
	{ "s32 / 1s == 1 && s32 % 1s == 500ms", 1 },
	{ "s32 - s32 == 0s && +0.0s <= s32", 1 }, { "s32 == 010ms", 0 },
	{ "u64 > 99999999999999999999s", 0 }, { "u64 > 1.5s", 1 },
	{ "s64 < 9223372036854775807ns", 1 },
	{ "s64 > -9223372036854775808ns", 1 },
	{ "u64 < 18000000000.000000001s", 0 },
	{ "s32 > 1.5s || s32 == 1500000us", 1 },
	/* contexts; a field goes first */
	{ "vpid == 4321 && cpu_id == 4321", 1 }, { "vpid == 4321", 1 },
	{ "pthread_id == 0x7f0123456789", 1 },
	{ "$ctx.ip == 0x7f0123456789 && ip > 4096", 1 },
	/* cpu is a field */
	{ "cpu == 77 && $cpu == 4321 && $ctx.cpu_id == 4321", 1 },
	{ "$vtid == 4321 && $procname == \"worker/3\"", 1 },
	{ "$level == debug_line && $level <= 13", 1 }, { "$level < 13", 0 },
	{ "($level < 13 && other > 3) || s32 == 1500", 1 },
	{ "$id ~ \"app/*\" || other ~ \"x\"", 1 },
	{ "$id == \"app/request\"", 1 }, { "$id ~ \"app:r*\"", 1 },
	{ "$id !~ \"app:r*\" && s32 == 1500", 0 },
	{ "$id ~ \"fn:*\" || $id == \"fn:app/request\"", 0 },
	{ "\"app:other\" != $id && s32 == 1500", 1 },
	{ "vtid == 4321", 1 }, { "vtid > 4320 && vtid < 5000", 1 },
	{ "procname == \"worker/3\"", 1 }, { "procname ~ \"worker/*\"", 1 },
	{ "procname != \"worker/4\"", 1 }, { "cpu == 77", 1 },
};

static void check_rows(void)
{
	struct ax_event event = { .fixed = (uintptr_t)&block, .var = var };
	struct expr_error error;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!unit_equal(make(rows[i].text, &fields, &layout, &error),
				0, "\"%s\" compiles", rows[i].text)) {
			printf("# %u: %s\n", error.column, error.fact);
			continue;
		}
		unit_equal(ax_holds(program, &event, NULL), rows[i].holds,
			   "\"%s\"", rows[i].text);
		unit_equal(expr_check(rows[i].text, &error), 0,
			   "\"%s\" could be a condition", rows[i].text);
	}
}

static const struct {
	const char *text;
	int ret;
	uint32_t column;
	const char *fact;
	int checks;		/* expr_check() lets it pass */
} errors[] = {
	{ "", -EINVAL, 1, "a value is missing here", 0 },
	{ "  ", -EINVAL, 3, "a value is missing here", 0 },
	{ "s32 >", -EINVAL, 6, "a value is missing here", 0 },
	{ "s32 > > 5", -EINVAL, 7, "a value is missing here", 0 },
	{ "&& 1", -EINVAL, 1, "a value is missing here", 0 },
	{ "(s32 > 5", -EINVAL, 1, "its ) is missing", 0 },
	{ "s32 > 5)", -EINVAL, 8, "its ( is missing", 0 },
	{ "()", -EINVAL, 2, "a value is missing here", 0 },
	{ "s32 5", -EINVAL, 5, "an operator is missing before this", 0 },
	{ "s32 = 5", -EINVAL, 5, "use == to compare", 0 },
	{ "s32 =< 5", -EINVAL, 5, "use <= to compare", 0 },
	{ "s32 => 5", -EINVAL, 5, "use >= to compare", 0 },
	{ "s32 @ 5", -EINVAL, 5, "this has no meaning here", 0 },
	{ "s32 ? 1 : 2", -EINVAL, 5, "this has no meaning here", 0 },
	{ "s32 == 1 \xc3\xa4", -EINVAL, 10, "this has no meaning here", 0 },
	{ "url == \"/x", -EINVAL, 8, "a quotation mark is missing", 0 },
	{ "url == \"\\", -EINVAL, 8, "a quotation mark is missing", 0 },
	{ "url == \"\\q\"", -EINVAL, 9, "no such escape", 0 },
	{ "url == \"\\x\"", -EINVAL, 9, "no such escape", 0 },
	{ "url == \"\\x100\"", -EINVAL, 9, "no such escape", 0 },
	{ "url == \"\\400\"", -EINVAL, 9, "no such escape", 0 },
	{ "url == \"a\\0b\"", -EINVAL, 10, "a string holds no NUL", 0 },
	{ "s8 == 'ab'", -EINVAL, 7, "'...' holds one character", 0 },
	{ "s8 == ''", -EINVAL, 7, "'...' holds one character", 0 },
	{ "s32 == 0x", -EINVAL, 8, "no such number", 0 },
	{ "s32 == 09", -EINVAL, 8, "no such number", 0 },
	{ "s32 == 5x", -EINVAL, 8, "no such number", 0 },
	{ "s32 == 5uu", -EINVAL, 8, "no such number", 0 },
	{ "s32 == 1.5u", -EINVAL, 8, "no such number", 0 },
	{ "s32 == 1e", -EINVAL, 8, "no such number", 0 },
	{ "s32 == 1.2.3", -EINVAL, 8, "no such number", 0 },
	{ "u64 == 18446744073709551616", -EINVAL, 8,
	  "the number does not fit in 64 bits", 0 },
	{ "s64 == -9223372036854775809", -EINVAL, 8,
	  "the number does not fit in 64 bits", 0 },
	{ "f64 < 1e309", -EINVAL, 7, "the number does not fit a double", 0 },
	{ "1 < s32 < 5", -EINVAL, 9,
	  "comparisons do not chain: use && or parentheses", 0 },
	{ "s8 == s16 == u8", -EINVAL, 11,
	  "comparisons do not chain: use && or parentheses", 0 },
	{ "u8 & 4 == 4", -EINVAL, 4,
	  "comparisons bind closer: use parentheses", 0 },
	{ "s32 / 0", -ESRCH, 5, "division by zero", 1 },
	{ "s32 % 0", -ESRCH, 5, "division by zero", 0 },
	{ "s32 << 64", -ESRCH, 5,
	  "a shift by less than 0 or more than 63", 0 },
	{ "s32 >> -1", -ESRCH, 5,
	  "a shift by less than 0 or more than 63", 0 },
	{ "\"a\"", -ESRCH, 1,
	  "a string is not a truth value: compare it, NULL is \"(null)\"", 0 },
	{ "1 && \"a\"", -ESRCH, 6,
	  "a string is not a truth value: compare it, NULL is \"(null)\"", 0 },
	{ "url", -ESRCH, 1,
	  "a string is not a truth value: compare it, NULL is \"(null)\"", 1 },
	{ "!url", -ESRCH, 2,
	  "a string is not a truth value: compare it, NULL is \"(null)\"", 1 },
	{ "url < \"a\"", -ESRCH, 5,
	  "strings have no order: use ==, != or ~", 0 },
	{ "url ~ s32", -ESRCH, 5,
	  "~ needs a pattern in quotes on its right", 0 },
	{ "\"*\" ~ url", -ESRCH, 5,
	  "~ needs a pattern in quotes on its right", 0 },
	{ "s32 ~ \"5*\"", -ESRCH, 5,
	  "a number is compared with a string", 1 },
	{ "s32 == \"5\"", -ESRCH, 5,
	  "a number is compared with a string", 1 },
	{ "url == 5", -ESRCH, 5, "a number is compared with a string", 1 },
	{ "url != 0", -ESRCH, 5, "a string that is NULL is compared with "
	  "\"(null)\", not with 0", 1 },
	{ "5 == \"5\"", -ESRCH, 3, "a number is compared with a string", 0 },
	{ "\"a\" == \"a\"", -ESRCH, 5,
	  "both sides are text: one side must be a field", 0 },
	{ "url == procname", -ESRCH, 5,
	  "compare a string with a text in quotes", 1 },
	{ "url + 1", -ESRCH, 5, "a string is not a number", 1 },
	{ "-url == 1", -ESRCH, 1, "a string is not a number", 1 },
	{ "f32 % 2", -ESRCH, 5, "this is for integers only", 1 },
	{ "f32 & 1", -ESRCH, 5, "this is for integers only", 1 },
	{ "1.5 << 1", -ESRCH, 5, "this is for integers only", 0 },
	{ "~f32", -ESRCH, 1, "this is for integers only", 1 },
	{ "s32 > 5h", -EINVAL, 7, "no such number", 0 },
	{ "s32 > 0x5ms", -EINVAL, 7, "no such number", 0 },
	{ "s32 > 1.2.3s", -EINVAL, 7, "no such number", 0 },
	{ "s32 > 1e3s", -EINVAL, 7, "no such number", 0 },
	{ "s8 > 5ms", -ESRCH, 4,
	  "a number with a unit needs a field that has one", 1 },
	{ "5ms > 3us", -ESRCH, 5,
	  "a number with a unit needs a field that has one", 0 },
	{ "s32 > 1 && 5ms", -ESRCH, 12,
	  "a number with a unit needs a field that has one", 0 },
	{ "!5ms", -ESRCH, 2,
	  "a number with a unit needs a field that has one", 0 },
	{ "s32 + u32 > 5ms", -ESRCH, 11,
	  "a number with a unit needs a field that has one", 1 },
	{ "url == 5ms", -ESRCH, 5,
	  "a number with a unit needs a field that has one", 1 },
	{ "s32 == 1 && $ctx.tid", -EINVAL, 18, "no context \"tid\"", 0 },
	{ "$id == 1", -ESRCH, 5, "a number is compared with a string", 1 },
	{ "raw == 1", -ESRCH, 1, "the field \"raw\" is an array: name an "
	  "element, as in v[0]", 1 },
	{ "id > 5", -ENOENT, 1, "no field \"id\"; there are s8, u8, s16, u16, "
	  "s32, u32, s64, u64, f32, f64, ptr, flag, url, cpu, raw, nan", 1 },
	{ "$level <= warn", -ENOENT, 11,
	  "no field \"warn\"; levels go from emerg to debug", 1 },
	{ "s32 > 5 && Cpu", -ENOENT, 12, "no field \"Cpu\"; there are s8, u8, "
	  "s16, u16, s32, u32, s64, u64, f32, f64, ptr, flag, url, cpu, raw, "
	  "nan", 1 },
};

static void check_errors(void)
{
	uint8_t code[512];
	struct expr_fields two = fields;
	struct expr_error error;
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		unit_equal(expr_compile(errors[i].text, &fields, code,
					sizeof(code), &error), errors[i].ret,
			   "\"%s\" is refused", errors[i].text);
		unit_equal(error.column, errors[i].column, "\"%s\": where",
			   errors[i].text);
		unit_equal_string(error.fact, errors[i].fact, "\"%s\": why",
				  errors[i].text);
		unit_equal(expr_check(errors[i].text, &error),
			   errors[i].checks ? 0 : -EINVAL,
			   "\"%s\": could it be one", errors[i].text);
	}
	unit_equal(expr_compile("s32 > 1000", &fields, code, 5, &error),
		   -ENOSPC, "no room for the code");
	two.n = 2;
	expr_compile("Cpu", &two, code, sizeof(code), &error);
	expr_error_whose(&error, "app/x");
	unit_equal_string(error.fact, "no field \"Cpu\"; app/x has s8, u8",
			  "whose fields");
	expr_compile("Cpu", &fields, code, sizeof(code), &error);
	expr_error_whose(&error, "app/of_a_long_name_that_has_no_room");
	unit_equal_string(error.fact, "no field \"Cpu\"",
			  "no room for the fields");
}

/* Nested parts: to the allowed depth, and deeper. */
static void check_depth(void)
{
	char text[4 * EXPR_DEPTH_MAX + 8];
	struct expr_error error;
	int n = EXPR_DEPTH_MAX / 2 - 1;

	memset(text, '(', sizeof(text));
	text[n] = '1';
	memset(text + n + 1, ')', (size_t)n);
	text[2 * n + 1] = 0;
	unit_equal(make(text, &fields, &layout, &error), 0, "deep");
	memset(text, '(', sizeof(text));
	text[sizeof(text) - 1] = 0;
	unit_equal(make(text, &fields, &layout, &error), -EINVAL, "too deep");
	unit_equal_string(error.fact, "this is nested too deeply", "why");
	memset(text, '-', sizeof(text) - 1);
	unit_equal(make(text, &fields, &layout, &error), -EINVAL,
		   "too many signs");
	unit_equal_string(error.fact, "this is nested too deeply", "why");
}

static const char *const operators[] = { "==", "!=", "<", "<=", ">", ">=" };

/* Returns the result of operator i, as C computes it. */
static int compared(size_t i, int64_t x, int64_t c)
{
	const int results[] = { x == c, x != c, x < c, x <= c, x > c, x >= c };

	return results[i];
}

/* A field of one type, with another before it, passed by value or, with eight
 * bytes before it, by address: every comparison, because a comparison takes the
 * quick way. */
static void check_quick(bool by_address)
{
	static const int64_t constants[] = {
		0, 1, -1, 5, 127, 128, -128, -129, 255, 256, 32767, 65535,
		65536, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN,
	};
	static const uint8_t bits[] = { 0, 8, 8, 16, 16, 32, 32, 64, 64 };
	int wrong = 0, quick = 0;
	uint8_t last = by_address ? TAFFRAIL_T_U64 : TAFFRAIL_T_U32;

	for (uint8_t type = TAFFRAIL_T_S8; type <= last; type++) {
		uint8_t two[TAFFRAIL_FIELDS_MAX] = {
			by_address ? TAFFRAIL_T_U64 : TAFFRAIL_T_U8, type };
		struct write_shape in = { .fixed_bytes = (uint16_t)(
			(by_address ? 8 : 1) + bits[type] / 8) };
		struct ax_layout value = { &in, two };
		struct expr_fields of = { .names = names, .types = two,
					  .n = 2 };

		for (size_t i = 0; i < 6 * 18; i++) {
			int64_t c = constants[i / 6];
			struct expr_error error;
			uint8_t code[64];
			struct ax_source source = { code, 0, 1, &value, NULL };
			struct ax_refusal refusal;
			char text[64];

			snprintf(text, sizeof(text), "u8 %s %lld",
				 operators[i % 6], (long long)c);
			source.bytes = (uint32_t)expr_compile(text, &of, code,
							      sizeof(code),
							      &error);
			if (ax_verify(condition_buffer,
				      sizeof(condition_buffer), &source,
				      &refusal)) {
				wrong++;
				continue;
			}
			quick += program->quick != AX_SLOW;
			for (size_t k = 0; k < 18 * 3; k++) {
				uint64_t v = (uint64_t)constants[k / 3] +
					     k % 3 - 1;
				uint64_t both[2] = { 0x55, v };
				struct ax_event event = {
					by_address ? (uintptr_t)both :
						     v << 8 | 0x55, 0 };
				int unused = 64 - bits[type];
				int64_t x = (int64_t)(v << unused) >> unused;
				uint64_t result;
				int want;

				if (!(type & 1))
					x = (int64_t)(v << unused >> unused);
				want = compared(i % 6, x, c);
				/* unsigned numbers above all constants */
				if (type == TAFFRAIL_T_U64 && x < 0)
					continue;
				ax_run(program, &event, NULL, &result);
				wrong += result != (uint64_t)want;
				wrong += ax_holds(program, &event, NULL) !=
					 want;
			}
		}
	}
	unit_equal(wrong, 0, "comparisons of fields that travel by %s",
		   by_address ? "address" : "value");
	unit_check(quick > 300, "most take the quick way");
}

static void check_decimals(void)
{
	static const char *const numbers[] = {
		"0.0", "1.0", "0.1", "1e22", "1e23", "123456789012345678901e5",
		"1.7976931348623157e308", "4.9406564584124654e-324", "1e-400",
		"2.4703282292062327e-324", "2.4703282292062328e-324",
		"2.2250738585072011e-308", "2.2250738585072014e-308",
		"9007199254740993.0", "9007199254740993.00000000000000000001",
		"0.000000000000000000000000000000000000000000000000001e51",
		"1e-323", "6.02214076e23", "1e0", "1e+0", "8.5e-320", "1e308",
	};
	struct expr_error error;
	uint64_t x = 88172645463325252ull;
	int wrong = 0;
	char text[80];

	for (int i = 0; i < 20000 + 22; i++) {
		uint64_t got = 0, want;
		double d;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (i < 22)
			snprintf(text, sizeof(text), "%s", numbers[i]);
		else
			snprintf(text, sizeof(text), "%llu.%llue%d",
				 (unsigned long long)(x >> (x & 63)),
				 (unsigned long long)(x * 7),
				 (int)(x >> 20) % 330);
		d = strtod(text, NULL);
		memcpy(&want, &d, 8);
		if (expr_decimal(text, text + strlen(text), 0, &got) ?
			    d != __builtin_inf() : got != want) {
			printf("# %s\n", text);
			wrong++;
		}
	}
	unit_equal(wrong, 0, "decimals are strtod's");
	memset(text, '1', 65);
	strcpy(text + 65, ".0");
	unit_equal(expr_check(text, &error), -EINVAL, "too many digits");
}

int main(void)
{
	check_rows();
	check_errors();
	check_depth();
	check_quick(false);
	check_quick(true);
	check_decimals();
	return unit_end();
}
