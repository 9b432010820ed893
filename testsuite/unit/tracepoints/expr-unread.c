/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions of lines with values that could not be read: true, false and
 * unknown, against the tables of three-valued logic (Kleene's).
 */
#include "testsuite/unit/condition.h"

#include "include/taffrail/site.h"
#include "tracepoints/fields/shown.h"

enum { NO, MAYBE, YES };

#define VALUES	3

static const struct field_name names[] = {
	{ .name = "a" }, { .name = "b" }, { .name = "s" }, { .name = "unread" },
};
static const uint8_t types[TAFFRAIL_FIELDS_MAX] = {
	TAFFRAIL_T_S32, TAFFRAIL_T_F64, TAFFRAIL_T_STRING, TAFFRAIL_T_U16,
};
static const struct taffrail_shown shown = { 4, TAFFRAIL_HOW_HEX, 0, 0 };
static const struct write_shape shape = {
	.fixed_bytes = 14, .nvar = 1, .var = { { 12, 1, 0, 0 } },
};
static const struct ax_layout layout = { &shape, types };
static struct {
	int32_t a;
	double b;
	uint16_t unread;
} __attribute__((packed)) block;
static struct write_var var = { "x", WRITE_STRING };

static int make_as(const char *id, const char *text)
{
	struct expr_fields fields = {
		names, types, VALUES + 1,
		{ (const char *)&shown, (const char *)(&shown + 1) }, id, false,
		NULL, 0,
	};
	struct ax_source source = { .layout = &layout };
	struct expr_error error;
	int ret = condition_make(text, &fields, source, &error);

	if (ret)
		printf("# %s: %u: %s\n", text, error.column, error.fact);
	return ret;
}

/* Runs the program. Returns NO, MAYBE or YES. */
static int truth_of_code(void)
{
	struct ax_event event = { .fixed = (uintptr_t)&block, .var = &var };
	uint64_t result = 0;
	enum ax_verdict verdict = ax_run(program, &event, NULL, &result);

	return verdict ? MAYBE : result ? YES : NO;
}

static const struct {
	const char *text;
	uint16_t unread;
	int decided;
} rows[] = {
	{ "a == 0", 0, YES }, { "a == 0", 1, MAYBE }, { "a != 0", 1, MAYBE },
	{ "!(a == 0)", 1, MAYBE }, { "a < 5", 1, MAYBE }, { "a", 1, MAYBE },
	{ "!a", 1, MAYBE }, { "!!a", 1, MAYBE }, { "a == 0", 2, YES },
	{ "a == 0 || b == 0", 1, YES }, { "a == 0 || b == 0", 2, YES },
	{ "a == 1 || b == 0", 1, YES }, { "a == 0 || b == 1", 1, MAYBE },
	{ "a == 1 && b == 0", 1, MAYBE }, { "a == 0 && b == 1", 1, NO },
	{ "!(a == 1 && !(b == 0))", 3, MAYBE }, { "b == 1 && a", 1, NO },
	{ "!(a == 1) && b == 0", 1, MAYBE }, { "b == 0 || a / 0.0 > 1", 0, YES },
	{ "s == \"x\"", 0, YES }, { "s == \"x\"", 4, MAYBE },
	{ "s != \"y\"", 4, MAYBE }, { "s !~ \"y*\"", 4, MAYBE },
	{ "(a == 0) + 1 == 2", 0, YES }, { "(a == 0) + 1 == 2", 1, MAYBE },
	{ "(a == 0) == (b == 0)", 2, MAYBE }, { "-(a == 0) == -1", 0, YES },
	{ "~(a == 1) == -1", 0, YES }, { "a + b == 0", 2, MAYBE },
	{ "1 || a", 1, YES }, { "0 && a", 1, NO }, { "a && 0", 1, NO },
	{ "a == 0 || 0", 1, MAYBE }, { "a == 0 && 1", 1, MAYBE },
	{ "a == 0 && 1", 0, YES }, { "a || 1", 1, YES },
	{ "1 && !a", 0, YES }, { "1 && !a", 1, MAYBE },
	{ "unread == 1", 1, YES }, { "unread == 1 || a == 0", 1, YES },
	{ "!unread && a == 0", 1, NO }, { "(unread & 1) == 0", 1, NO },
	/* as a number, a truth value is decided as without */
	{ "(b == 1 && a == 7) == 0", 1, YES }, { "(b == 1 && a) == 0", 3, MAYBE },
	{ "(b == 0 && a == 7) != 1", 1, MAYBE }, { "(b == 1 && a) == 1", 1, NO },
	{ "(b == 0 || a == 7) != 0", 1, YES }, { "1 == (b == 0 || a)", 1, YES },
	{ "0 == (b == 1 || a)", 1, MAYBE }, { "0 != (b == 0 || a)", 1, YES },
	{ "b == 0 && 1 != (b == 1 && a)", 1, YES }, { "(a == 0) == 1", 0, YES },
	{ "(a == 0) == 0", 1, MAYBE }, { "0 == (a == 0)", 0, NO },
};

static void check_rows(void)
{
	memset(&block, 0, sizeof(block));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		block.unread = rows[i].unread;
		if (unit_equal(make_as("line/a.c:1", rows[i].text), 0,
			       "\"%s\" compiles", rows[i].text))
			unit_equal(truth_of_code(), rows[i].decided,
				   "\"%s\", unread 0x%x", rows[i].text,
				   rows[i].unread);
	}
	/* other events may have such a field, too */
	block.unread = 1;
	unit_equal(make_as("app/event", "a == 0"), 0, "of a marker");
	unit_equal(truth_of_code(), YES, "0 is compared");
}

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1;
	return (uint32_t)(random_state >> 33) % n;
}

/* Writes a random condition. Returns how it is decided. */
static int condition_write(char **to, int depth)
{
	uint32_t what = random_below(depth ? 6 : 2), field = random_below(2);
	int left, right, number;
	bool all = what == 4;

	if (what == 3) {
		*to += sprintf(*to, "!");
		return YES - condition_write(to, depth - 1);
	}
	if (what > 3) {
		*to += sprintf(*to, "(");
		left = condition_write(to, depth - 1);
		*to += sprintf(*to, all ? " && " : " || ");
		right = condition_write(to, depth - 1);
		*to += sprintf(*to, ")");
		return (left < right) == all ? left : right;
	}
	number = (int)random_below(2);
	right = field ? block.b != 0 : block.a != 0;
	*to += sprintf(*to, what == 1 ? "(%c != %d)" : "(%c == %d)",
		       "ab"[field], number);
	if (block.unread >> field & 1)
		return MAYBE;
	return (right == number) != (what == 1) ? YES : NO;
}

static void check_random(void)
{
	uint32_t wrong = 0;
	char text[1024], *to;
	int want;

	for (uint32_t i = 0; i < 3000 && wrong < 3; i++) {
		block.a = (int32_t)random_below(2);
		block.b = random_below(2);
		block.unread = (uint16_t)random_below(4);
		to = text;
		want = condition_write(&to, 4);
		if (make_as("line/a.c:1", text) || truth_of_code() != want) {
			printf("# %s, unread %u\n", text, block.unread);
			wrong++;
		}
	}
	unit_equal(wrong, 0, "random conditions");
}

int main(void)
{
	check_rows();
	check_random();
	return unit_end();
}
