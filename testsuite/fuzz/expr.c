/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: the compiler of conditions.
 *
 * Texts of random tokens, mostly in the order of an expression, and then
 * mutated. What compiles must pass the verifier, fit into what the header
 * promises, run to an end, and pass expr_check(); an error must point into
 * its text.
 */
#include "testsuite/fuzz/fuzz.h"

#include <errno.h>

#include "include/taffrail/site.h"
#include "tracepoints/conditions/ax.h"
#include "tracepoints/conditions/expr.h"

#define TEXT_BYTES	240

static const struct field_name names[] = {
	{ .name = "a" }, { .name = "u" }, { .name = "d" }, { .name = "s" },
	{ .name = "r" }, { .name = "b" },
};
static const uint8_t types[TAFFRAIL_FIELDS_MAX] = {
	TAFFRAIL_T_S32, TAFFRAIL_T_U64, TAFFRAIL_T_F64, TAFFRAIL_T_STRING,
	0x40 | TAFFRAIL_T_U8, TAFFRAIL_T_BOOL,
};
static const struct write_shape shape = {
	21, 2, 0, NULL, { { 20, 0, 0, 0 }, { 20, 1, 0, 0 } }
};
static const struct __attribute__((packed)) {
	struct taffrail_shown unit, time, big, ranges;
	int64_t of[4];
	char labels[8];
} shown = {
	{ .field_ = 1, .how_ = TAFFRAIL_HOW_DURATION_MS },
	{ .field_ = 2, .how_ = TAFFRAIL_HOW_TIME_NS },
	{ .field_ = 5, .how_ = TAFFRAIL_HOW_BIG_ENDIAN },
	{ .field_ = 6, .how_ = TAFFRAIL_HOW_RANGES, .count_ = 4, .bytes_ = 40 },
	{ -3, 9, 1, 1 }, "ANY\0ONE",
};
static const struct expr_fields fields = {
	names, types, 6, { (const char *)&shown, (const char *)(&shown + 1) },
	"app/x", false, NULL, 0
};
static const struct ax_layout layout = { &shape, types };

static uint32_t fuzz_context(void *hit)
{
	(void)hit;
	return 7;
}

static uint64_t fuzz_pthread(void *hit)
{
	(void)hit;
	return 7;
}

static void fuzz_procname(void *hit, char *name)
{
	(void)hit;
	memset(name, 'a', AX_NAME_BYTES);
}

static const struct ax_machine machine = {
	.vtid = fuzz_context,
	.cpu = fuzz_context,
	.vpid = fuzz_context,
	.pthread = fuzz_pthread,
	.ip = fuzz_pthread,
	.procname = fuzz_procname,
};

static const char *const values[] = {
	"a", "u", "d", "s", "r", "b", "ANY", "ONE", "r[1]", "vtid", "cpu", "procname", "$id", "$level",
	"$ctx.vpid", "pthread_id", "ip", "$x", "zz", "0",
	"1", "42", "0x7f", "017", "'x'", "'\\n'", "1.5", "2e3", ".25", "3u",
	"18446744073709551615", "9223372036854775808", "1e400", "\"x\"",
	"\"a*\"", "\"\\x41\\n\"", "\"\"", "a", "u", "d",
	"r[0]", "r[2]", "r[3]", "r.1", "r[65536]", "s[0]", "r[",
	"5ms", "2.5s", "1ns", ".000001us", "99999999999999999999s",
};
static const char *const operators[] = {
	"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">",
	">=", "==", "!=", "~", "!~", "&&", "||", "&&", "||", "==", "=", "<",
};
static const char *const prefixes[] = { "-", "+", "!", "~", "(", "(", " " };

static void add(char *text, const char *more)
{
	if (strlen(text) + strlen(more) < TEXT_BYTES)
		strcat(text, more);
}

static const char *pick(struct fuzz *fuzz, const char *const *list, size_t n)
{
	return list[fuzz_less(fuzz, n)];
}

#define PICK(list)	pick(fuzz, list, sizeof(list) / sizeof((list)[0]))

static void generate(struct fuzz *fuzz, char *text)
{
	static const char *const strings[] = {
		"s == \"x\"", "s ~ \"a*\"", "procname != \"aa\"",
		"\"y\" == s", "(s !~ \"\\142?\")",
	};
	uint64_t count = 1 + fuzz_less(fuzz, 6);
	uint32_t open = 0;

	text[0] = 0;
	while (count--) {
		while (fuzz_less(fuzz, 4) == 0) {
			const char *prefix = PICK(prefixes);

			open += *prefix == '(';
			add(text, prefix);
		}
		add(text, fuzz_less(fuzz, 5) ? PICK(values) : PICK(strings));
		while (open && fuzz_less(fuzz, 2)) {
			add(text, ")");
			open--;
		}
		if (count)
			add(text, PICK(operators));
	}
	while (open--)
		add(text, ")");
}

static void run(struct fuzz *fuzz, const uint8_t *code, uint32_t bytes,
		const char *text)
{
	uint8_t *block = fuzz_copy("-1234567890abcdefghij", 21);
	char *string = fuzz_copy("abc", 4);
	struct write_var var[2] = { { string, WRITE_STRING }, { block, 3 } };
	struct ax_event event = { (uintptr_t)block, var };
	struct ax_source source = { code, bytes, 1, &layout, &machine };
	void *buffer = malloc(AX_PROGRAM_BYTES(bytes));
	struct ax_refusal refusal;
	enum ax_verdict verdict;
	uint64_t result;

	if (!buffer)
		abort();
	if (ax_verify(buffer, AX_PROGRAM_BYTES(bytes), &source, &refusal)) {
		fuzz_fail(fuzz, refusal.fact, text, strlen(text));
	} else {
		verdict = ax_run(buffer, &event, NULL, &result);
		if (verdict != AX_DONE && verdict != AX_DIVIDED_BY_ZERO)
			fuzz_fail(fuzz, "it does not end well", text,
				  strlen(text));
	}
	free(buffer);
	free(string);
	free(block);
}

static void try(struct fuzz *fuzz, const char *input)
{
	size_t length = strlen(input);
	char *text = fuzz_copy(input, length + 1);
	uint8_t *code = malloc(EXPR_CODE_BYTES(length));
	struct expr_error error;
	int ret, check;

	if (!code)
		abort();
	check = expr_check(text, &error);
	ret = expr_compile(text, &fields, code, EXPR_CODE_BYTES(length),
			   &error);
	if (ret == -ENOSPC)
		fuzz_fail(fuzz, "no room", text, length);
	if (ret < 0 && (!error.fact[0] || !error.column ||
			error.column > length + 1))
		fuzz_fail(fuzz, "a bad error", text, length);
	if (ret >= 0 && check)
		fuzz_fail(fuzz, "the check refuses it", text, length);
	if (ret == -EINVAL && !check)
		fuzz_fail(fuzz, "the check lets it pass", text, length);
	if (ret >= 0) {
		fuzz->accepted++;
		run(fuzz, code, (uint32_t)ret, text);
	}
	free(code);
	free(text);
}

int main(int argc, char **argv)
{
	char text[TEXT_BYTES + 1];
	struct fuzz fuzz;

	fuzz_open(&fuzz, "expr", argc, argv);
	for (; fuzz.done < fuzz.inputs; fuzz.done++) {
		generate(&fuzz, text);
		if (fuzz_less(&fuzz, 4) == 0)
			fuzz_mutate(&fuzz, (uint8_t *)text, strlen(text));
		try(&fuzz, text);
	}
	return fuzz_end(&fuzz, 30);
}
