/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Code that is written for another place (usdt_move()): which instruction
 * becomes a gate, and which does not.
 */
#include "testsuite/unit/unit.h"

#include "tracepoints/usdt/jumps/jumps.h"

#define SITE	0x10000u
#define MOVED	0x20000u
#define JUMP	0xe9

static uint8_t code[128];
static uint8_t offsets[USDT_PATCH_MAX];

/* Moves two instructions of three bytes, the first of them at `first`. */
static int move_two(uint8_t first, uint8_t beside)
{
	struct usdt_plan plan = {
		.address = SITE,
		.covered = (uint8_t)(first + 6),
		.count = 2,
		.beside = beside,
		.moved = { { .at = first, .length = 3 },
			   { .at = (uint8_t)(first + 3), .length = 3 } },
	};
	struct stub *stubs[2] = { NULL, NULL };

	for (int i = 0; i < USDT_COVERED_MAX; i++)
		plan.bytes[i] = (uint8_t)(0x40 + i);
	memset(code, 0, sizeof(code));
	return usdt_move(code, sizeof(code), MOVED, &plan, 0, stubs, offsets);
}

/* Tells whether the two instructions are at these offsets of the code, and a
 * jump behind the second. */
static bool has_both(uint32_t one, uint32_t two, uint8_t first, int n)
{
	for (uint8_t i = 0; i < 3; i++)
		if (code[one + i] != 0x40 + first + i ||
		    code[two + i] != 0x43 + first + i)
			return false;
	return code[two + 3] == JUMP && n == (int)two + 8;
}

/* A hit before the second of two instructions, and before the first. */
static void check_hits(void)
{
	struct usdt_plan plan = {
		.address = SITE, .covered = 6, .count = 2,
		.hit = 3, .inside = 1,
		.moved = { { .at = 0, .length = 3 },
			   { .at = 3, .length = 3 } },
	};
	struct stub *stubs[2] = { (struct stub *)0x1111,
				  (struct stub *)0x2222 };
	const uint32_t hit = USDT_HIT_BYTES, over = USDT_HIT_IF_BYTES;
	uint64_t to;
	int n;

	for (int i = 0; i < USDT_COVERED_MAX; i++)
		plan.bytes[i] = (uint8_t)(0x40 + i);
	n = usdt_move(code, sizeof(code), MOVED, &plan, 0, stubs, offsets);
	memcpy(&to, code + 3 + 6, sizeof(to));
	unit_check(has_both(0, 3 + hit, 0, n), "a hit between two");
	unit_check(offsets[3] == 3 && to == 0x2222, "a hit between: where");
	plan.both = 1;
	n = usdt_move(code, sizeof(code), MOVED, &plan, 0, stubs, offsets);
	memcpy(&to, code + 6, sizeof(to));
	unit_check(has_both(hit, 3 + 2 * hit, 0, n), "two hits");
	unit_check(to == 0x1111 && offsets[0] == hit, "two hits: the first");
	plan.both = 0;
	plan.hit = 0;
	plan.moved[0].move = USDT_CONDITION;
	plan.moved[0].code = 4;
	plan.moved[0].target = SITE + 0x100;
	n = usdt_move(code, sizeof(code), MOVED, &plan, 0, stubs, offsets);
	unit_check(code[0] == 0x0f && code[1] == 0x85 && code[2] == hit + 5 &&
			   code[over + hit] == JUMP,
		   "a hit on a condition: the condition is inverted");
	unit_equal(n, over + hit + 5 + 3 + 5, "a hit on a condition: bytes");
}

int main(void)
{
	int n = move_two(1, 0);

	check_hits();
	n = move_two(1, 0);

	unit_check(has_both(0, 3, 1, n), "behind a nop");
	unit_check(offsets[1] == 0 && offsets[4] == 3, "behind a nop: where");
	n = move_two(0, 0);
	unit_check(has_both(0, 3, 0, n), "an instruction at the site moves");
	unit_check(offsets[0] == 0 && offsets[3] == 3, "at the site: where");
	n = move_two(1, 4);
	unit_equal(offsets[1], USDT_GATE_BYTES, "two probes: after the gate");
	unit_equal(offsets[4], USDT_GATE_BYTES + 3, "two probes: the other");
	unit_equal(n, 2 * USDT_GATE_BYTES + 3 + 5, "two probes: bytes");
	return unit_end();
}
