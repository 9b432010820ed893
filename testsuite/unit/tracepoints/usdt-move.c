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
static struct usdt_written written;
static uint64_t stubs[3 * USDT_STUB_BYTES / 8];

/* Calls usdt_move() for the file's only place. */
static int code_move(const struct usdt_plan *plan)
{
	memset(code, 0, sizeof(code));
	return usdt_move(code, sizeof(code), MOVED, plan, 0,
			 (struct stub *)stubs, &written);
}

/* Returns the number of the stub that the gate before this offset leads to. */
static uint64_t stub_before(uint32_t offset)
{
	uint64_t to;

	memcpy(&to, code + offset - sizeof(to), sizeof(to));
	return (to - (uint64_t)stubs) / USDT_STUB_BYTES;
}

/* Moves two instructions of three bytes, the first of them at `first`: behind a
 * probe's nop, if that is 1. */
static int move_two(uint8_t first, uint8_t beside)
{
	struct usdt_plan plan = {
		.address = SITE,
		.whole = !first,
		.covered = (uint8_t)(first + 6),
		.count = 2,
		.ngates = beside ? 2 : 1,
		.gates = { { .at = 0 }, { .at = beside } },
		.moved = { { .at = first, .length = 3 },
			   { .at = (uint8_t)(first + 3), .length = 3 } },
	};

	for (int i = 0; i < USDT_COVERED_MAX; i++)
		plan.bytes[i] = (uint8_t)(0x40 + i);
	return code_move(&plan);
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

/* Hits before the second of two instructions, before both, and on a condition;
 * and two at one instruction. */
static void check_hits(void)
{
	struct usdt_plan plan = {
		.address = SITE, .covered = 6, .count = 2, .whole = 1,
		.moved = { { .at = 0, .length = 3 },
			   { .at = 3, .length = 3 } },
	};
	const uint32_t hit = USDT_HIT_BYTES, over = USDT_HIT_IF_BYTES;
	const uint32_t gate = USDT_GATE_BYTES;
	int n;

	for (int i = 0; i < USDT_COVERED_MAX; i++)
		plan.bytes[i] = (uint8_t)(0x40 + i);
	unit_equal(usdt_plan_gate(&plan, 3, true), 0, "a gate");
	n = code_move(&plan);
	unit_check(has_both(0, 3 + hit, 0, n), "a hit between two");
	unit_check(written.offsets[3] == 3 && written.behind[0] == 3 + hit &&
			   stub_before(3 + hit) == 0, "a hit between: where");
	unit_equal(usdt_plan_gate(&plan, 0, false), 0, "another, before it");
	unit_equal(usdt_plan_gate(&plan, 0, false), 0, "the same is one");
	unit_equal(usdt_plan_gate(&plan, 2, false), USDT_OVERLAPS,
		   "none in an instruction");
	unit_equal(plan.ngates, 2, "two gates");
	n = code_move(&plan);
	unit_check(has_both(gate, 3 + 2 * gate, 0, n), "two hits");
	unit_check(stub_before(gate) == 0 && stub_before(2 * gate + 3) == 1,
		   "two hits: whose");
	unit_check(written.offsets[0] == 0 && written.offsets[3] == gate + 3,
		   "two hits: a thread that comes there passes the gate");
	unit_check(code[USDT_GATE_BYTE] == USDT_GATE_SHUT, "two hits: shut");
	unit_equal(usdt_plan_gate(&plan, 3, false), 0, "a third");
	unit_check(plan.gates[1].at == 3 && !plan.gates[1].leaves &&
			   plan.gates[2].leaves, "it is before the exit's");
	n = code_move(&plan);
	unit_check(has_both(gate, 3 + 3 * gate, 0, n), "three hits");
	plan.ngates = 0;
	usdt_plan_gate(&plan, 0, true);
	plan.moved[0].move = USDT_CONDITION;
	plan.moved[0].code = 4;
	plan.moved[0].target = SITE + 0x100;
	unit_check(!usdt_is_direct(&plan), "on a condition: not at the jump");
	n = code_move(&plan);
	unit_check(code[0] == 0x0f && code[1] == 0x85 && code[2] == hit + 5 &&
			   code[over + hit] == JUMP,
		   "a hit on a condition: the condition is inverted");
	unit_equal(n, over + hit + 5 + 3 + 5, "a hit on a condition: bytes");
	usdt_plan_gate(&plan, 0, false);
	n = code_move(&plan);
	unit_check(code[gate] == 0x0f && code[gate + 2] == gate + 5 &&
			   code[gate + over + gate] == JUMP &&
			   written.behind[1] == 2 * gate + over,
		   "and one in any case before it");
}

/* There is room for so many hits. */
static void check_room(void)
{
	struct usdt_plan plan = { .count = USDT_MOVED_MAX };
	int good = 0;

	for (uint8_t i = 0; i < USDT_MOVED_MAX; i++)
		plan.moved[i].at = i;
	for (uint8_t i = USDT_MOVED_MAX; i-- > 0;)
		good += !usdt_plan_gate(&plan, i, false);
	unit_equal(good, USDT_GATES_MAX, "gates of a jump");
	for (uint8_t i = 0; i < USDT_GATES_MAX; i++)
		good -= plan.gates[i].at == i;
	unit_equal(good, 0, "they are in order");
	unit_equal(usdt_plan_gate(&plan, 1, true), USDT_OVERLAPS, "no more");
}

int main(void)
{
	int n;

	check_hits();
	check_room();
	n = move_two(1, 0);
	unit_check(has_both(0, 3, 1, n), "behind a nop");
	unit_check(written.offsets[1] == 0 && written.offsets[4] == 3,
		   "behind a nop: where");
	n = move_two(0, 0);
	unit_check(has_both(0, 3, 0, n), "an instruction at the site moves");
	unit_check(written.offsets[0] == 0 && written.offsets[3] == 3,
		   "at the site: where");
	n = move_two(1, 4);
	unit_equal(written.offsets[1], USDT_GATE_BYTES,
		   "two probes: after the gate");
	unit_equal(written.offsets[4], USDT_GATE_BYTES + 3,
		   "two probes: the other");
	unit_equal(n, 2 * USDT_GATE_BYTES + 3 + 3 + 5, "two probes: bytes");
	return unit_end();
}
