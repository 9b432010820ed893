/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions and collections that need no interpreter
 * (tracepoints/conditions/ax-simple.h): which ones they are, and that their
 * results equal the interpreter's.
 */
#include "testsuite/unit/unit.h"

#include "tracepoints/conditions/ax-simple.h"

#define MEMORY	0x1000ull

/* One register, number 3, and eight bytes of memory. */
struct mock {
	uint64_t reg;
	uint8_t memory[8];
};

static enum ax_verdict mock_read(void *hit, uint64_t address, void *to,
				 uint32_t bytes)
{
	struct mock *mock = hit;

	if (address < MEMORY || address + bytes > MEMORY + 8)
		return AX_BAD_ADDRESS;
	memcpy(to, mock->memory + (address - MEMORY), bytes);
	return AX_DONE;
}

static enum ax_verdict mock_reg(void *hit, uint32_t number, uint64_t *value)
{
	struct mock *mock = hit;

	if (number != 3)
		return AX_UNAVAILABLE;
	*value = mock->reg;
	return AX_DONE;
}

static enum ax_verdict mock_collect(void *hit, uint64_t address,
				    uint64_t bytes)
{
	(void)hit;
	(void)address;
	(void)bytes;
	return AX_DONE;
}

static const struct ax_machine machine = {
	.read = mock_read,
	.reg = mock_reg,
	.collect = mock_collect,
	.nregisters = 60,
};

static union {
	struct ax_program program;
	char bytes[4096];
} room;

/* Returns the program of hexadecimal digits, in which GDB sends it. */
static const struct ax_program *program_of(const char *hex)
{
	uint8_t code[128];
	struct ax_source source = { .code = code, .machine = &machine };
	struct ax_refusal why;
	unsigned byte;

	for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
		code[source.bytes++] = (uint8_t)byte;
	return ax_verify(&room, sizeof(room), &source, &why) ? NULL :
							      &room.program;
}

/* Returns a hit's verdict on a condition; -1: it cannot read the value. */
static int simple_says(const struct ax_simple *test, struct mock *mock)
{
	uint64_t value = test->offset;

	if (test->reg != AX_SIMPLE_NO_REGISTER)
		value += mock->reg;
	if (test->bytes) {
		uint64_t word = 0;

		if (mock_read(mock, value, &word, test->bytes) != AX_DONE)
			return -1;
		value = word;	/* hosts are little endian so far */
	}
	return (value << test->shift) - test->low <= test->span;
}

static const uint64_t values[] = {
	0, 1, 999, 1000, 1001, 127, 128, 255, 256, 32767, 32768, 65535,
	0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x1000003e8,
	0x100000fff, 0xffffffff00000000, 0xfffffffffffffc18,
	0xfffffffffffffc17, 0x7fffffffffffffff, 0x8000000000000000,
	0xffffffffffffffff,
};

static unsigned differences(const struct ax_program *program,
			    const struct ax_simple *test)
{
	unsigned wrong = 0;
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct mock mock = { .reg = values[i] };
		uint64_t result = 0;
		int holds;

		memcpy(mock.memory, &values[i], sizeof(mock.memory));
		if (test->bytes && test->reg != AX_SIMPLE_NO_REGISTER)
			mock.reg = MEMORY - test->offset;
		holds = ax_run(program, NULL, &mock, &result) == AX_DONE &&
			result;
		wrong += simple_says(test, &mock) != holds;
	}
	return wrong;
}

static void check_tests(void)
{
	static const struct {
		const char *name;
		const char *code;
		int simple;
	} rows[] = {
		{ "int in a register > 1000", "26000316202303e82b1427", 1 },
		{ "int on the stack > 1000",
		  "260003224002""22c41608021916202303e82b1427", 1 },
		{ "long on the stack < 1000",
		  "26000322c41608021a2303e81427", 1 },
		{ "unsigned char == 255", "260003172a0822ff1327", 1 },
		{ "short != -1000", "260003181610""23fc181610130e27", 1 },
		{ "unsigned long >= 1000", "2600032303e8150e27", 1 },
		{ "unsigned int <= 1000", "2600032a202303e82b150e27", 1 },
		{ "a global > 1000", "2310001916202303e82b1427", 1 },
		{ "without extension", "260003192303e81427", 1 },
		{ "more extension than memory", "2600031916282303e81427", 1 },
		{ "less extension than memory", "2600031916082203""1427", 1 },
		{ "holds always", "26000316082303e8140e0e0e27", 0 },
		{ "a constant", "2203""2203""1327", 0 },
		{ "a sum of registers", "26000326000302220314""27", 0 },
		{ "memory of memory", "2600031a1922031427", 0 },
		{ "a value, no comparison", "26000327", 0 },
		{ "two comparisons", "260003220314""200009""220027""220127", 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct ax_program *program = program_of(rows[i].code);
		struct ax_simple test;

		if (!unit_check(program != NULL, "%s: it verifies",
				rows[i].name))
			continue;
		ax_simple_test(&test, program);
		unit_equal(test.is, rows[i].simple, "%s: is it simple?",
			   rows[i].name);
		if (test.is)
			unit_equal(differences(program, &test), 0,
				   "%s: as the interpreter", rows[i].name);
	}
}

static void check_collections(void)
{
	struct ax_simple_memory memory = { 0 };

	unit_check(ax_simple_collect(&memory,
			program_of("260003224002""22c4160802""22040c27")),
		   "a local on the stack");
	unit_equal(memory.reg, 3, "its register");
	unit_equal(memory.offset, 4, "its offset");
	unit_equal(memory.bytes, 4, "its bytes");
	unit_check(!ax_simple_collect(&memory, program_of("2310000d082827")),
		   "something comes after it");
	unit_check(ax_simple_collect(&memory, program_of("2310000d0827")),
		   "memory at an address");
	unit_equal(memory.reg, AX_SIMPLE_NO_REGISTER, "no register");
	unit_equal(memory.offset, MEMORY, "the address");
	unit_equal(memory.bytes, 8, "its bytes");
	unit_check(!ax_simple_collect(&memory,
			program_of("2600031a22040c27")),
		   "memory behind a pointer");
	unit_check(!ax_simple_collect(&memory,
			program_of("26000322040c""26000322040c27")),
		   "two pieces of memory");
}

int main(void)
{
	check_tests();
	check_collections();
	return unit_end();
}
