/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: programs that only compare a value with a constant.
 *
 * Each such comparison, and the opposite of each, holds for one range of
 * values, modulo 2^bits; see struct ax_program. The interpreter runs
 * comparisons that hold for no value, or that compare a signed field as if it
 * were unsigned.
 */
#include "tracepoints/conditions/ax-insn.h"

#include "base/base.h"

/* The values from low up to high, in the order of the comparison; or none. */
struct range {
	uint64_t low;
	uint64_t high;
	int empty;
};

/* Returns all values of a field of `bits` bits. */
static struct range range_all(uint32_t bits, int signed_order,
			      int signed_field)
{
	if (bits == 64)
		return signed_order ? (struct range){ 1ull << 63,
						      ~(1ull << 63), 0 } :
				      (struct range){ 0, UINT64_MAX, 0 };
	if (signed_field)
		return (struct range){ 0 - (1ull << (bits - 1)),
				       (1ull << (bits - 1)) - 1, 0 };
	return (struct range){ 0, (1ull << bits) - 1, 0 };
}

/* Returns the part of `all` for which one of the five comparisons with c holds.
 * `flip` turns a signed order into an unsigned one. */
static struct range range_cut(struct range all, uint32_t step, uint64_t c,
			      uint64_t flip)
{
	bool above = (c ^ flip) > (all.high ^ flip);
	bool below = (c ^ flip) < (all.low ^ flip);

	switch (step) {
	case STEP_EQUAL_CONST:
		all.empty = above || below;
		all.low = all.high = c;
		break;
	case STEP_LESS_SIGNED_CONST:
	case STEP_LESS_UNSIGNED_CONST:
		all.empty = below || c == all.low;
		if (!above)
			all.high = c - 1;
		break;
	default:
		all.empty = above || c == all.high;
		if (!below)
			all.low = c + 1;
	}
	return all;
}

SIGSAFE bool ax_range_find(const struct ax_insn *test, uint32_t bits,
			   enum ax_order order, uint64_t *low, uint64_t *span)
{
	bool signed_field = order == AX_ORDER_SIGNED;
	uint32_t shift = 64 - bits;
	struct range all, range;
	bool signed_order;

	if (test->step < STEP_EQUAL_CONST ||
	    test->step > STEP_GREATER_UNSIGNED_CONST ||
	    test[test->at].step != STEP_END)
		return false;
	signed_order = test->step == STEP_LESS_SIGNED_CONST ||
		       test->step == STEP_GREATER_SIGNED_CONST ||
		       (test->step == STEP_EQUAL_CONST && signed_field);
	if (signed_field && !signed_order)
		return false;
	all = range_all(bits, signed_order, signed_field);
	range = range_cut(all, test->step, test->value,
			  signed_order ? 1ull << 63 : 0);
	if (test->var)
		range = range.empty ? all : (struct range){
			range.high + 1, range.low - 1,
			range.low == all.low && range.high == all.high };
	if (range.empty)
		return false;
	*low = range.low << shift;
	*span = (range.high - range.low) << shift | ((1ull << shift) - 1);
	return true;
}

SIGSAFE void ax_quick_find(struct ax_program *program)
{
	static const struct {
		uint8_t bytes, order;
	} blocks[] = {
		[STEP_BLOCK_S8] = { 1, AX_ORDER_SIGNED },
		[STEP_BLOCK_U8] = { 1, AX_ORDER_UNSIGNED },
		[STEP_BLOCK_S16] = { 2, AX_ORDER_SIGNED },
		[STEP_BLOCK_U16] = { 2, AX_ORDER_UNSIGNED },
		[STEP_BLOCK_S32] = { 4, AX_ORDER_SIGNED },
		[STEP_BLOCK_U32] = { 4, AX_ORDER_UNSIGNED },
		[STEP_BLOCK_64] = { 8, AX_ORDER_WHOLE },
	};
	const struct ax_insn *field = program->insns;
	enum ax_order order = field->step == STEP_VALUE_SIGNED ?
				      AX_ORDER_SIGNED : AX_ORDER_UNSIGNED;
	uint32_t bits = 64u - field->var, end;
	uint8_t quick = AX_QUICK_VALUE;

	program->quick = AX_SLOW;
	if (program->ninsns < 3)
		return;
	program->shift = field->at;
	if (field->step < ARRAY_SIZE(blocks) && blocks[field->step].bytes) {
		/* a block has more than eight bytes: the eight end with the
		 * field, or are the first ones */
		end = field->at + blocks[field->step].bytes;
		program->offset = (uint16_t)(end > 8 ? end - 8 : 0);
		program->shift = end > 8 ? 0 : 64 - 8 * end;
		bits = 8u * blocks[field->step].bytes;
		order = blocks[field->step].order;
		quick = AX_QUICK_BLOCK;
	} else if (field->step != STEP_VALUE_SIGNED &&
		   field->step != STEP_VALUE_UNSIGNED) {
		return;
	}
	if (ax_range_find(field + 1, bits, order, &program->low,
			  &program->span))
		program->quick = quick;
}
