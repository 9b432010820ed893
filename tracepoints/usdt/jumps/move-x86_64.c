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

/* jmp to the gate's end if shut, to the next instruction if open;
 * jmp *0(%rip), and its target */
static void put_gate(struct writer *w, const struct stub *stub)
{
	static const uint8_t jumps[] = {
		0xeb, USDT_GATE_SHUT, 0xff, 0x25, 0, 0, 0, 0,
	};
	uint64_t to = (uint64_t)stub;

	_Static_assert(sizeof(jumps) + sizeof(to) == USDT_GATE_BYTES, "gate");
	_Static_assert(USDT_GATE_SHUT == USDT_GATE_BYTES - 2, "gate");
	put_bytes(w, jumps, sizeof(jumps));
	put_bytes(w, &to, sizeof(to));
}

/* Adds a jump to a stub, which leads back behind it. */
static void put_hit(struct writer *w, const struct stub *stub)
{
	static const uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 };
	uint64_t to = (uint64_t)stub;

	_Static_assert(sizeof(jump) + sizeof(to) == USDT_HIT_BYTES, "hit");
	put_bytes(w, jump, sizeof(jump));
	put_bytes(w, &to, sizeof(to));
}

/* Adds a conditional jump that hits the stub if it is taken. */
static void put_hit_if(struct writer *w, const struct usdt_moved *moved,
		       uint64_t base, const struct stub *stub)
{
	const uint8_t over[USDT_HIT_IF_BYTES] = {
		0x0f, (uint8_t)(0x80 | (moved->code ^ 1)),
		USDT_HIT_BYTES + USDT_JUMP_BYTES,
	};

	put_bytes(w, over, sizeof(over));
	put_hit(w, stub);
	put_jump(w, base + moved->target);
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

int usdt_move(uint8_t *code, uint32_t n, uint64_t to,
	      const struct usdt_plan *plan, uint64_t base,
	      struct stub *const stubs[static 2],
	      uint8_t offsets[USDT_PATCH_MAX])
{
	struct writer w = { .code = code, .n = n, .to = to };
	uint32_t i;

	if (plan->beside)
		put_gate(&w, stubs[0]);
	if (plan->both)
		put_hit(&w, stubs[0]);
	for (i = 0; i < plan->count; i++) {
		const struct usdt_moved *moved = &plan->moved[i];

		offsets[moved->at] = (uint8_t)w.used;
		if (plan->beside && moved->at == plan->beside) {
			put_gate(&w, stubs[1]);
			continue;
		}
		if (plan->inside && moved->at == plan->hit) {
			if (moved->move == USDT_CONDITION) {
				put_hit_if(&w, moved, base, stubs[1]);
				continue;
			}
			put_hit(&w, stubs[1]);
		}
		put_moved(&w, moved, plan, base);
	}
	put_jump(&w, base + plan->address + plan->covered);
	return w.ret ? w.ret : (int)w.used;
}
