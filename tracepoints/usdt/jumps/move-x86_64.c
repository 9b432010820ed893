/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes instructions for another place; see tracepoints/usdt/plan/plan.h.
 *
 * A moved call pushes the return address that the program's call would push, so
 * an unwinder finds the program's own code.
 */
#include "tracepoints/usdt/jumps/jumps.h"

#include <errno.h>

#define JUMP	0xe9

struct writer {
	uint8_t *code;
	uint32_t n;
	uint32_t used;
	uint64_t to;		/* address of code[0] */
	int ret;
};

/* Adds n bytes; notes -ENOSPC when there is no room. */
static void put_bytes(struct writer *w, const void *bytes, uint32_t n)
{
	if (w->n - w->used < n) {
		w->ret = -ENOSPC;
		return;
	}
	__builtin_memcpy(w->code + w->used, bytes, n);
	w->used += n;
}

/* Writes an operand that counts from `behind` bytes after the end of the
 * operand. */
static void put_relative(struct writer *w, uint64_t target, uint32_t behind)
{
	int64_t distance = (int64_t)(target - (w->to + w->used + 4 + behind));
	int32_t operand = (int32_t)distance;

	if (operand != distance)
		w->ret = -ERANGE;
	put_bytes(w, &operand, 4);
}

/* Adds a jump to the target. */
static void put_jump(struct writer *w, uint64_t target)
{
	static const uint8_t jump[] = { JUMP };

	put_bytes(w, jump, 1);
	put_relative(w, target, 0);
}

#define NUMBER_BITS	0x38	/* of a modrm byte: which instruction it is */
#define JUMP_NUMBER	(4 << 3)

/* Adds a call whose return address is the program's own: pushes that, and jumps
 * to the target, or by the operand of the call. */
static void put_call(struct writer *w, const struct usdt_moved *moved,
		     const uint8_t *bytes, uint64_t target, uint64_t back)
{
	static const uint8_t push[] = {
		0x48, 0x8d, 0x64, 0x24, 0xf8,	/* lea -8(%rsp), %rsp */
		0xc7, 0x04, 0x24,		/* movl low, (%rsp) */
	};
	static const uint8_t high[] = { 0xc7, 0x44, 0x24, 0x04 };
	uint32_t used = moved->code + 1u;
	uint8_t modrm = (uint8_t)((bytes[moved->code] & ~NUMBER_BITS) |
				  JUMP_NUMBER);

	put_bytes(w, push, sizeof(push));
	put_bytes(w, &back, 4);
	put_bytes(w, high, sizeof(high));
	put_bytes(w, (const uint8_t *)&back + 4, 4);
	if (moved->move == USDT_CALL) {
		put_jump(w, target);
		return;
	}
	put_bytes(w, bytes, moved->code);
	put_bytes(w, &modrm, 1);
	if (moved->field)
		put_relative(w, target, 0);
	else
		put_bytes(w, bytes + used, moved->length - used);
}

/* Adds gate number i of a plan. jmp to the gate's end if shut, to the next
 * instruction if open, where it is not the only one; jmp *0(%rip), and the
 * target */
static void put_gate(struct writer *w, const struct usdt_plan *plan, uint32_t i,
		     struct stub *stubs, struct usdt_written *written)
{
	static const uint8_t jumps[] = {
		0xeb, USDT_GATE_SHUT, 0xff, 0x25, 0, 0, 0, 0,
	};
	uint32_t left_out = plan->ngates > 1 ? 0 : 2;
	uint64_t to = (uint64_t)usdt_stub_at(stubs, i);

	_Static_assert(sizeof(jumps) + sizeof(to) == USDT_GATE_BYTES, "gate");
	_Static_assert(USDT_GATE_SHUT == USDT_GATE_BYTES - 2, "gate");
	_Static_assert(USDT_HIT_BYTES == USDT_GATE_BYTES - 2, "hit");
	put_bytes(w, jumps + left_out, sizeof(jumps) - left_out);
	put_bytes(w, &to, sizeof(to));
	written->behind[i] = (uint8_t)w->used;
}

/* Adds the first half of a conditional jump that passes a gate if it is taken:
 * the opposite jump over the gate and the second half. */
static void put_over(struct writer *w, const struct usdt_plan *plan,
		     const struct usdt_moved *moved)
{
	uint32_t gate = plan->ngates > 1 ? USDT_GATE_BYTES : USDT_HIT_BYTES;
	const uint8_t over[USDT_HIT_IF_BYTES] = {
		0x0f, (uint8_t)(0x80 | (moved->code ^ 1)),
		(uint8_t)(gate + USDT_JUMP_BYTES),
	};

	put_bytes(w, over, sizeof(over));
}

/* Adds one instruction with the same effect as at its old place. */
static void put_moved(struct writer *w, const struct usdt_moved *moved,
		      const struct usdt_plan *plan, uint64_t base)
{
	const uint8_t *bytes = plan->bytes + moved->at;
	const uint8_t condition[] = { 0x0f, (uint8_t)(0x80 | moved->code) };
	uint32_t behind = moved->length - moved->field - 4u;

	switch (moved->move) {
	case USDT_COPY:
		put_bytes(w, bytes, moved->length);
		break;
	case USDT_DATA:
		put_bytes(w, bytes, moved->field);
		put_relative(w, base + moved->target, behind);
		put_bytes(w, bytes + moved->field + 4, behind);
		break;
	case USDT_BRANCH:
		put_jump(w, base + moved->target);
		break;
	case USDT_CONDITION:
		put_bytes(w, condition, sizeof(condition));
		put_relative(w, base + moved->target, 0);
		break;
	case USDT_CALL:
	case USDT_CALL_THROUGH:
		put_call(w, moved, bytes, base + moved->target,
			 base + plan->address + moved->at + moved->length);
		break;
	default:
		w->ret = -ERANGE;
	}
}

bool usdt_is_direct(const struct usdt_plan *plan)
{
	return plan->ngates == 1 && !plan->gates[0].at &&
	       !(plan->gates[0].leaves &&
		 plan->moved[0].move == USDT_CONDITION);
}

int usdt_move(uint8_t *code, uint32_t n, uint64_t to,
	      const struct usdt_plan *plan, uint64_t base, struct stub *stubs,
	      struct usdt_written *written)
{
	struct writer w = { .code = code, .n = n, .to = to };
	uint32_t gate = 0;

	written->behind[0] = 0;
	if (usdt_is_direct(plan))
		gate = 1;
	else if (plan->ngates && !plan->whole && !plan->gates[0].at)
		put_gate(&w, plan, gate++, stubs, written);
	for (uint32_t i = 0; i < plan->count; i++) {
		const struct usdt_moved *moved = &plan->moved[i];
		bool over = false;

		written->offsets[moved->at] = (uint8_t)w.used;
		for (; gate < plan->ngates && plan->gates[gate].at == moved->at;
		     gate++) {
			over = plan->gates[gate].leaves &&
			       moved->move == USDT_CONDITION;
			if (over)
				put_over(&w, plan, moved);
			put_gate(&w, plan, gate, stubs, written);
		}
		if (over)
			put_jump(&w, base + moved->target);
		else
			put_moved(&w, moved, plan, base);
	}
	put_jump(&w, base + plan->address + usdt_plan_resumes(plan));
	return w.ret ? w.ret : (int)w.used;
}
