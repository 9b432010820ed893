/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: the verifier and the interpreter (tracepoints/conditions/ax.h).
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <fenv.h>

#include "base/glob.h"
#include "include/taffrail/site.h"
#include "tracepoints/conditions/ax-insn.h"
#include "tracepoints/fields/ax-double.h"

/* A machine whose memory is 64 bytes at address 0x1000. */
struct mock {
	uint8_t memory[64];
	uint64_t variables[4];
	char log[128];
};

static enum ax_verdict mock_read(void *hit, uint64_t address, void *to,
				 uint32_t bytes)
{
	struct mock *mock = hit;

	if (address < 0x1000 || address + bytes > 0x1000 + 64)
		return AX_BAD_ADDRESS;
	memcpy(to, mock->memory + (address - 0x1000), bytes);
	return AX_DONE;
}

static enum ax_verdict mock_reg(void *hit, uint32_t number, uint64_t *value)
{
	(void)hit;
	*value = 0x1000 + number;
	return number == 7 ? AX_UNAVAILABLE : AX_DONE;
}

static enum ax_verdict mock_get(void *hit, uint32_t number, uint64_t *value)
{
	struct mock *mock = hit;

	if (number >= 4)
		return AX_UNAVAILABLE;
	*value = mock->variables[number];
	return AX_DONE;
}

static enum ax_verdict mock_set(void *hit, uint32_t number, uint64_t value)
{
	struct mock *mock = hit;

	if (number >= 4)
		return AX_UNAVAILABLE;
	mock->variables[number] = value;
	return AX_DONE;
}

static enum ax_verdict mock_note(struct mock *mock, const char *what,
				 uint64_t a, uint64_t b)
{
	size_t used = strlen(mock->log);

	snprintf(mock->log + used, sizeof(mock->log) - used, "%s %llx %llx;",
		 what, (unsigned long long)a, (unsigned long long)b);
	return AX_DONE;
}

static enum ax_verdict mock_variable(void *hit, uint32_t number)
{
	return mock_note(hit, "v", number, 0);
}

static enum ax_verdict mock_collect(void *hit, uint64_t address,
				    uint64_t bytes)
{
	mock_note(hit, "m", address, bytes);
	return bytes > 0x10000 ? AX_NO_ROOM : AX_DONE;
}

static enum ax_verdict mock_string(void *hit, uint64_t address, uint64_t bytes)
{
	return mock_note(hit, "s", address, bytes);
}

static uint32_t mock_vtid(void *hit)
{
	(void)hit;
	return 4321;
}

static uint32_t mock_cpu(void *hit)
{
	(void)hit;
	return 3;
}

static uint64_t mock_pthread(void *hit)
{
	(void)hit;
	return 0x7f0123456789;
}

static void mock_procname(void *hit, char *name)
{
	(void)hit;
	memcpy(name, "sixteen letters!", 16);
}

static const struct ax_machine mock_machine = {
	.read = mock_read,
	.reg = mock_reg,
	.variable_get = mock_get,
	.variable_set = mock_set,
	.variable_collect = mock_variable,
	.collect = mock_collect,
	.collect_string = mock_string,
	.vtid = mock_vtid,
	.cpu = mock_cpu,
	.vpid = mock_cpu,
	.pthread = mock_pthread,
	.ip = mock_pthread,
	.procname = mock_procname,
	.nregisters = 8,
};

/* A program in hexadecimal digits; blanks between them do not count. */
static uint32_t bytes_of(const char *hex, uint8_t *code)
{
	uint32_t n = 0;
	unsigned int byte;

	for (; *hex; hex += 2) {
		while (*hex == ' ')
			hex++;
		if (!*hex)
			break;
		sscanf(hex, "%2x", &byte);
		code[n++] = (uint8_t)byte;
	}
	return n;
}

static _Alignas(8) char buffer[AX_PROGRAM_BYTES(AX_CODE_MAX)];
static const struct ax_program *program = (const void *)buffer;

static int verify(const char *hex, const struct ax_layout *layout,
		  const struct ax_machine *machine, uint32_t want_result,
		  struct ax_refusal *refusal)
{
	uint8_t code[AX_CODE_MAX];
	struct ax_source source = {
		.code = code,
		.bytes = bytes_of(hex, code),
		.want_result = want_result,
		.layout = layout,
		.machine = machine,
	};

	return ax_verify(buffer, AX_PROGRAM_BYTES(source.bytes), &source,
			 refusal);
}

struct result {
	const char *hex;
	uint64_t value;
	enum ax_verdict verdict;
};

static const struct result results[] = {
	{ "22 05 22 03 02 27", 8, 0 },
	{ "22 05 22 07 03 27", -2ull, 0 },
	{ "22 05 22 07 04 27", 35, 0 },
	{ "22 f9 16 08 22 02 05 27", -3ull, 0 },
	{ "22 f9 16 08 22 02 07 27", -1ull, 0 },
	{ "22 f9 16 08 22 02 06 27", 0x7ffffffffffffffc, 0 },
	{ "22 f9 22 0a 08 27", 9, 0 },
	{ "25 8000000000000000 22 ff 16 08 05 27", 1ull << 63, 0 },
	{ "25 8000000000000000 22 ff 16 08 07 27", 0, 0 },
	{ "22 01 22 00 05 27", 0, AX_DIVIDED_BY_ZERO },
	{ "22 01 22 00 06 27", 0, AX_DIVIDED_BY_ZERO },
	{ "22 01 22 00 07 27", 0, AX_DIVIDED_BY_ZERO },
	{ "22 01 22 00 08 27", 0, AX_DIVIDED_BY_ZERO },
	{ "22 01 22 3f 09 27", 1ull << 63, 0 },
	{ "22 01 22 40 09 27", 0, 0 },
	{ "22 80 16 08 22 40 0a 27", -1ull, 0 },
	{ "22 80 16 08 22 04 0a 27", -8ull, 0 },
	{ "22 80 16 08 22 40 0b 27", 0, 0 },
	{ "22 80 16 08 22 3f 0b 27", 1, 0 },
	{ "22 05 0e 27", 0, 0 },
	{ "22 00 0e 27", 1, 0 },
	{ "22 0c 22 0a 0f 27", 8, 0 },
	{ "22 0c 22 0a 10 27", 14, 0 },
	{ "22 0c 22 0a 11 27", 6, 0 },
	{ "22 00 12 27", -1ull, 0 },
	{ "22 05 22 05 13 27", 1, 0 },
	{ "22 05 22 06 13 0e 27", 1, 0 },
	{ "22 ff 16 08 22 01 14 27", 1, 0 },
	{ "22 ff 16 08 22 01 15 27", 0, 0 },
	{ "22 01 22 ff 16 08 2b 14 27", 1, 0 },
	{ "22 01 22 ff 16 08 2b 14 0e 27", 0, 0 },
	{ "22 01 22 02 2b 2b 14 27", 1, 0 },
	{ "22 01 22 02 2b 13 0e 0e 27", 0, 0 },
	{ "23 8000 16 10 27", -0x8000ull, 0 },
	{ "22 ff 16 40 27", 0xff, 0 },
	{ "22 ff 16 ff 27", 0xff, 0 },
	{ "24 ffffffff 2a 09 27", 0x1ff, 0 },
	{ "22 ff 2a 40 27", 0xff, 0 },
	{ "22 01 16 01 27", -1ull, 0 },
	{ "24 12345678 27", 0x12345678, 0 },
	{ "25 0123456789abcdef 27", 0x0123456789abcdef, 0 },
	{ "23 1001 17 27", 1, 0 },
	{ "23 1001 18 27", 0x0201, 0 },
	{ "23 1001 19 27", 0x04030201, 0 },
	{ "23 1001 1a 27", 0x0807060504030201, 0 },
	{ "23 1040 17 27", 0, AX_BAD_ADDRESS },
	{ "23 103d 19 27", 0, AX_BAD_ADDRESS },
	{ "26 0003 27", 0x1003, 0 },
	{ "26 0007 27", 0, AX_UNAVAILABLE },
	{ "22 01 28 02 27", 2, 0 },
	{ "22 01 22 02 29 27", 1, 0 },
	{ "22 07 22 02 2b 03 27", -5ull, 0 },
	{ "2c 0002 27", 42, 0 },
	{ "2c 0009 27", 0, AX_UNAVAILABLE },
	{ "22 05 2d 0001 2c 0001 02 27", 10, 0 },
	{ "22 05 2d 0004 27", 0, AX_UNAVAILABLE },
	{ "22 01 22 02 22 03 32 00 27", 3, 0 },
	{ "22 01 22 02 22 03 32 02 27", 1, 0 },
	/* 1 2 3 rotates to 3 1 2 */
	{ "22 01 22 02 22 03 33 27", 2, 0 },
	{ "22 01 22 02 22 03 33 29 27", 1, 0 },
	{ "22 01 22 02 22 03 33 29 29 27", 3, 0 },
	{ "22 01 20 0008 22 05 27 22 07 27", 0x07, 0 },
	{ "22 00 20 0008 22 05 27 22 07 27", 5, 0 },
	{ "21 0005 22 05 22 07 27", 7, 0 },
	/* bytes that are jumped over may be code that is never reached */
	{ "21 0006 02 02 02 22 07 27", 7, 0 },
	/* a jump into the middle of fused operations: 9 > 5 and 5 > 9 */
	{ "22 09 22 05 2b 14 27", 1, 0 },
	{ "22 09 22 05 21 0009 22 00 2b 14 27", 1, 0 },
	/* a loop: 10 + 9 + .. + 1 */
	{ "22 00 22 0a 28 33 02 2b 22 01 03 28 20 0004 29 27", 55, 0 },
	/* and a loop without an end */
	{ "21 0000", 0, AX_TOO_LONG },
	{ "22 01 20 0000 22 00 27", 0, AX_TOO_LONG },
	{ "2e 0003 22 09 27", 9, 0 },
	{ "27", 0, 0 },
	{ "22 05 29 27", 0, 0 },
	/* id == 1, as GDB 13 has it, of a variable at 0x1011 */
	{ "26 0005 22 0c 02 19 16 20 24 14131211 13 27", 1, 0 },
};

static void check_results(void)
{
	struct mock mock;
	struct ax_refusal refusal;
	uint64_t value;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		const struct result *row = &results[i];

		memset(&mock, 0, sizeof(mock));
		for (int k = 0; k < 64; k++)
			mock.memory[k] = (uint8_t)k;
		mock.variables[2] = 42;
		ret = verify(row->hex, NULL, &mock_machine, 0, &refusal);
		unit_check(ret == 0, "\"%s\" is a program%s%s", row->hex,
			   ret ? ": " : "", ret ? refusal.fact : "");
		if (ret)
			continue;
		value = 0;
		unit_equal(ax_run(program, NULL, &mock, &value), row->verdict,
			   "\"%s\" ends so", row->hex);
		unit_equal(value, row->value, "\"%s\" is", row->hex);
	}
}

static void check_collection(void)
{
	struct mock mock = { .log = "" };
	struct ax_refusal refusal;
	uint64_t value;

	verify("22 10 22 20 0c 22 30 0d 40 30 0500 29 22 11 22 08 2f "
	       "2e 0102 27", NULL, &mock_machine, 0, &refusal);
	unit_equal(ax_run(program, NULL, &mock, &value), AX_DONE, "collects");
	unit_equal_string(mock.log, "m 10 20;m 30 40;m 30 500;s 11 8;v 102 0;",
			  "what it collects");
	verify("22 10 24 00100000 0c 22 10 22 01 0c 27", NULL, &mock_machine,
	       0, &refusal);
	mock.log[0] = 0;
	unit_equal(ax_run(program, NULL, &mock, &value), AX_NO_ROOM,
		   "a collection without room");
	unit_equal_string(mock.log, "m 10 100000;", "ends there");
}

static const struct {
	const char *hex;
	const char *fact;
	uint32_t offset;
} refusals[] = {
	{ "", "it has no end", 0 },
	{ "22 01", "it has no end", 0 },
	{ "22 01 29", "it has no end", 2 },
	{ "00 27", "unknown opcode", 0 },
	{ "31 27", "unknown opcode", 0 },
	{ "35 27", "unknown opcode", 0 },
	{ "ff 27", "unknown opcode", 0 },
	{ "01 02 27", "no floating point here", 0 },
	{ "22 01 1b 27", "no floating point here", 2 },
	{ "22 01 1f 27", "no floating point here", 2 },
	{ "34 00 0002 2500 27", "printf calls functions", 0 },
	{ "22", "an operand is cut off", 0 },
	{ "27 25 01020304050607", "an operand is cut off", 1 },
	{ "21 00", "an operand is cut off", 0 },
	{ "02 27", "the stack is too low", 0 },
	{ "22 01 02 27", "the stack is too low", 2 },
	{ "22 01 22 02 33 27", "the stack is too low", 4 },
	{ "22 01 32 01 27", "the stack is too low", 2 },
	{ "22 01 32 ff 27", "the stack is too low", 2 },
	{ "0c 27", "the stack is too low", 0 },
	{ "20 0000", "the stack is too low", 0 },
	{ "22 01 21 0000", "the stack has two heights here", 0 },
	{ "22 00 20 0007 22 01 27", "the stack has two heights here", 7 },
	{ "21 0001 27", "a jump to no instruction", 0 },
	{ "21 0004", "a jump to no instruction", 0 },
	{ "21 ffff 27", "a jump to no instruction", 0 },
	{ "27 21 0002", "a jump to no instruction", 1 },
	{ "22 01 16 00 27", "no bits to extend from", 2 },
	{ "22 01 2a 00 27", "no bits to extend from", 2 },
	{ "26 0008 27", "no such register", 0 },
	{ "26 ffff 27", "no such register", 0 },
	{ "c0 00 27", "the opcode has no meaning here", 0 },
	{ "c2 00 0001 00 27", "the opcode has no meaning here", 0 },
	{ "c2 00 0003 610000 27", "a text has no end", 4 },
	{ "c2 00 0001 61 27", "a text has no end", 4 },
	{ "c2 00 0000 27", "an operand is cut off", 4 },
	{ "c2 00 0009 6100", "an operand is cut off", 4 },
	{ "c2 00 00", "an operand is cut off", 2 },
};

static void check_refusals(void)
{
	static const char *const needs[] = {
		"22 01 17 27", "26 0000 27", "2c 0000 27", "22 01 2d 0000 27",
		"2e 0000 27", "22 01 28 0c 27", "22 01 0d 01 27",
		"22 01 30 0001 27", "22 01 28 2f 27", "c4 27", "c5 27",
		"c6 0001 00 27", "c7 0001 00 27",
	};
	static const struct ax_machine nothing;
	struct ax_refusal refusal;
	size_t i;

	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		unit_equal(verify(refusals[i].hex, NULL, &mock_machine, 0,
				  &refusal), -EINVAL,
			   "\"%s\" is refused", refusals[i].hex);
		unit_equal_string(refusal.fact, refusals[i].fact,
				  "\"%s\": why", refusals[i].hex);
		unit_equal(refusal.offset, refusals[i].offset,
			   "\"%s\": where", refusals[i].hex);
	}
	for (i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		unit_equal(verify(needs[i], NULL, &nothing, 0, &refusal),
			   -EINVAL, "\"%s\" without it", needs[i]);
		unit_equal(verify(needs[i], NULL, NULL, 0, &refusal), -EINVAL,
			   "\"%s\" without a machine", needs[i]);
		unit_equal(verify(needs[i], NULL, &mock_machine, 0, &refusal),
			   0, "\"%s\" with it", needs[i]);
	}
	unit_equal(verify("22 01 29 27", NULL, NULL, 1, &refusal), -EINVAL,
		   "no result where one is wanted");
	unit_equal_string(refusal.fact, "it has no result", "why");
}

/* The highest stack and one higher; the longest program. */
static void check_limits(void)
{
	static uint8_t code[AX_CODE_MAX + 1];
	struct ax_source source = { .code = code };
	struct ax_refusal refusal;
	uint64_t value = 0;
	uint32_t n = 0;

	for (; n < 2 * AX_STACK_MAX; n += 2) {
		code[n] = AX_CONST8;
		code[n + 1] = (uint8_t)(n + 1);
	}
	code[n] = AX_END;
	source.bytes = n + 1;
	unit_equal(ax_verify(buffer, sizeof(buffer), &source, &refusal), 0,
		   "a full stack");
	unit_equal(ax_run(program, NULL, NULL, &value), AX_DONE, "is run");
	unit_equal(value, 2 * AX_STACK_MAX - 1, "its top");
	code[n] = AX_DUP;
	code[n + 1] = AX_END;
	source.bytes++;
	unit_equal(ax_verify(buffer, sizeof(buffer), &source, &refusal),
		   -EINVAL, "one too many");
	unit_equal_string(refusal.fact, "the stack is too high", "why");
	memset(code, AX_BIT_NOT, sizeof(code));
	code[0] = AX_CONST8;
	code[AX_CODE_MAX - 1] = AX_END;
	source.bytes = AX_CODE_MAX;
	unit_equal(ax_verify(buffer, sizeof(buffer), &source, &refusal), 0,
		   "the longest program");
	unit_equal(ax_verify(buffer, AX_PROGRAM_BYTES(AX_CODE_MAX) - 1,
			     &source, &refusal), -ENOSPC, "without room");
	code[AX_CODE_MAX] = AX_END;
	source.bytes++;
	unit_equal(ax_verify(buffer, sizeof(buffer), &source, &refusal),
		   -EINVAL, "a longer program");
}

static const struct {
	const char *hex;
	uint64_t value;
} string_rows[] = {
	{ "c2 00 0004 61626300 27", 1 },	/* abc == "abc" */
	{ "c2 00 0003 616200 27", 0 },
	{ "c2 00 0005 6162636400 27", 0 },
	{ "c2 00 0001 00 27", 0 },
	{ "c3 00 0003 612a00 27", 1 },		/* ~ "a*" */
	{ "c3 00 0003 622a00 27", 0 },
	{ "c2 02 0004 61626300 27", 1 },	/* three characters */
	{ "c2 02 0003 616200 27", 0 },
	{ "c3 02 0004 2a626300 27", 1 },
	{ "c2 03 0003 616200 27", 1 },		/* two characters */
	{ "c2 03 0004 61626300 27", 0 },
	{ "c3 03 0003 2a6200 27", 1 },
	{ "c3 03 0003 2a6300 27", 0 },
	{ "c0 04 27", 0x1234 },
	{ "c0 01 27", 3 },
	{ "c2 05 0004 61626300 27", 1 },	/* three elements */
	{ "c2 05 0003 616200 27", 0 },
	{ "c3 05 0003 2a6300 27", 1 },
	{ "d5 05 02 0001 27", 'b' },
	{ "d5 05 02 0003 27", 0 },
	{ "d5 05 04 0000 27", 'a' | 'b' << 8 },
	{ "d5 05 04 0001 27", 0 },
	{ "d5 05 06 0000 27", 0 },
	{ "d6 05 02 0002 27", 1 },
	{ "d6 05 02 0003 27", 0 },
	{ "d6 05 04 0001 27", 0 },
	{ "d6 05 08 ffff 27", 0 },
	{ "c4 27", 4321 },
	{ "c5 27", 3 },
	{ "c6 0011 7369787465656e206c65747465727321 00 27", 1 },
	{ "c6 0010 7369787465656e206c657474657273 00 27", 0 },
	{ "c7 0004 7369 2a 00 27", 1 },
};

/* Strings and names: how each rule of a shape ends them. */
static void check_strings(void)
{
	static const uint8_t types[TAFFRAIL_FIELDS_MAX] = {
		TAFFRAIL_T_STRING, TAFFRAIL_T_S32, TAFFRAIL_T_STRING,
		TAFFRAIL_T_STRING, TAFFRAIL_T_PTR, TAFFRAIL_T_U8 | 0x40,
	};
	static const struct write_shape shape = {
		.fixed_bytes = 4, .nvar = 5,
		.var = { { 0, 0, WRITE_RULE_PLAIN, 0 },
			 { 4, 0, WRITE_RULE_FIELD, 0 },
			 { 4, 0, WRITE_RULE_BOUNDED, 2 },
			 { 4, 0, WRITE_RULE_ADDRESS, 0 },
			 { 4, 1, 0, 0 } },
	};
	static const struct ax_layout layout = { &shape, types };
	static const char block[3] = { 'a', 'b', 'c' };
	struct write_var var[5] = {
		{ "abc", WRITE_STRING }, { block, WRITE_STRING },
		{ block, WRITE_STRING }, { (void *)0x1234, WRITE_STRING },
		{ block, 3 },
	};
	struct ax_event event = { .fixed = 3, .var = var };
	static const char *const bad[] = {
		"c0 00 27", "c1 01 27", "c2 01 0001 00 27", "c0 05 27",
		"d5 00 02 0000 27", "d6 01 02 0000 27", "d5 05 00 0000 27",
		"d5 05 0d 0000 27", "d5 05 12 0000 27", "d5 04 0b 0000 27",
		"d6 06 02 0000 27", "d5 05 02 00", "c0 06 27", "c0 0f 27", "c0 10 27",
		"c0 ff 27", "c2 04 0001 00 27",
	};
	struct ax_refusal refusal;
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < sizeof(string_rows) / sizeof(string_rows[0]); i++) {
		const char *hex = string_rows[i].hex;
		uint64_t want = string_rows[i].value;

		if (!unit_equal(verify(hex, &layout, &mock_machine, 1,
				       &refusal), 0, "\"%s\"", hex))
			continue;
		ax_run(program, &event, NULL, &value);
		unit_equal(value, want, "\"%s\" is", hex);
		unit_equal(ax_holds(program, &event, NULL), want != 0,
			   "\"%s\" holds", hex);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		unit_equal(verify(bad[i], &layout, &mock_machine, 1, &refusal),
			   -EINVAL, "\"%s\" is refused", bad[i]);
}

/* The bounded globs are those of rules. */
static void check_globs(void)
{
	static const char *const words[] = {
		"", "*", "?", "a", "ab", "a*", "*a", "*a*", "a?", "?b", "[ab]",
		"[!a]b", "[^a]*", "[]a]", "[a-c]?", "[a-", "*[a-c]", "a**b",
		"*a*b*", "[", "]", "aab", "abab", "b", "ba", "ccc",
	};
	size_t n = sizeof(words) / sizeof(words[0]);
	int wrong = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			int want = glob_match(words[i], words[k]);
			char block[8];

			memset(block, 'a', sizeof(block));
			memcpy(block, words[k], strlen(words[k]));
			wrong += glob_match_upto(words[i], block,
						 strlen(words[k])) != want;
		}
	}
	unit_equal(wrong, 0, "globs over strings without an end");
}

static uint64_t bits_of(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

/* Returns 1 when the float nearest to a double is not the machine's. */
static int narrowed_wrong(uint64_t bits)
{
	uint32_t word;
	double d;
	float f;

	memcpy(&d, &bits, sizeof(d));
	f = (float)d;
	memcpy(&word, &f, sizeof(word));
	return float_of_double(bits) != word;
}

static void check_doubles(void)
{
	static const double values[] = {
		0.0, -0.0, 1.0, -1.0, 1.5, 1e308, -1e308, 5e-324, 2.3e-308,
		__builtin_inf(), -__builtin_inf(), __builtin_nan(""), 0.1, 3.0,
	};
	size_t n = sizeof(values) / sizeof(values[0]);
	uint64_t x = 88172645463325252ull;
	int wrong = 0;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			double a = values[i], b = values[k];
			uint64_t p = bits_of(a), q = bits_of(b);

			wrong += double_equal(p, q) != (a == b);
			wrong += double_less(p, q) != (a < b);
			wrong += double_less_equal(p, q) != (a <= b);
			if (a + b == a + b)
				wrong += double_add(p, q) != bits_of(a + b);
			if (a / b == a / b)
				wrong += double_div(p, q) != bits_of(a / b);
			if (a * b == a * b)
				wrong += double_mul(p, q) != bits_of(a * b);
			if (a - b == a - b)
				wrong += double_sub(p, q) != bits_of(a - b);
		}
	}
	for (int i = 0; i < 200000; i++) {
		uint64_t shifted;
		uint32_t word;
		double d;
		float f;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		shifted = x >> (i & 63);
		wrong += double_of_unsigned(shifted) !=
			 bits_of((double)shifted);
		wrong += double_of_signed(shifted) !=
			 bits_of((double)(int64_t)shifted);
		wrong += double_of_signed(x) != bits_of((double)(int64_t)x);
		memcpy(&d, &x, sizeof(d));
		if (d > -0x1p63 && d < 0x1p63)
			wrong += integer_of_double(x) != (uint64_t)(int64_t)d;
		d = (double)(int64_t)shifted / 3;
		wrong += integer_of_double(bits_of(d)) != (uint64_t)(int64_t)d;
		word = (uint32_t)x >> (i & 7 ? 0 : 8) | (i & 16 ? 1u << 31 : 0);
		memcpy(&f, &word, sizeof(f));
		wrong += f == f && double_of_float(word) != bits_of(f);
		/* any double, and doubles near a float or between two */
		wrong += narrowed_wrong(x);
		shifted = double_of_float(word);
		wrong += narrowed_wrong(shifted);
		wrong += narrowed_wrong(shifted + 1);
		wrong += narrowed_wrong(shifted - 1);
		wrong += narrowed_wrong(shifted + (1ull << 28));
		wrong += narrowed_wrong(shifted + (1ull << 28) - 1);
		/* too small for all bits, or too large */
		shifted = (x & ~(0x7ffull << 52)) |
			  (0x7ffull & (uint64_t)(i % 300 + 860)) << 52;
		wrong += narrowed_wrong(shifted);
		wrong += narrowed_wrong(shifted & ~0ull << (x & 63));
	}
	for (size_t i = 9; i < 12; i++)
		wrong += integer_of_double(bits_of(values[i])) != DOUBLE_SIGN;
	unit_equal(wrong, 0, "doubles are the machine's");
	feclearexcept(FE_ALL_EXCEPT);
	double_div(bits_of(1), 0);
	double_add(bits_of(1), bits_of(1e-30));
	unit_equal(fetestexcept(FE_ALL_EXCEPT), 0, "no flag is left behind");
	fesetround(FE_UPWARD);
	unit_equal(double_div(bits_of(1), bits_of(3)),
		   bits_of(0x1.5555555555555p-2), "the thread's rounding does not matter");
	unit_equal(fegetround(), FE_UPWARD, "and stays");
	fesetround(FE_TONEAREST);
}

int main(void)
{
	check_results();
	check_collection();
	check_refusals();
	check_limits();
	check_strings();
	check_globs();
	check_doubles();
	return unit_end();
}
