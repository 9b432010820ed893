/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: finds the fields of an event, and the steps that load them.
 *
 * Invariant, for any types: a step does not reach beyond the fixed part or
 * beyond the variable fields of the shape.
 */
#include "tracepoints/conditions/ax-insn.h"

#include <errno.h>

#include "base/base.h"
#include "include/taffrail/site.h"
#include "tracepoints/fields/scalar.h"

/* Where a field lies. */
struct place {
	uint8_t type;
	uint8_t variable;	/* 1: it is var[number] */
	uint32_t number;	/* or: offset in the fixed part */
};

/*
 * Finds a field. A string that is recorded as an address has the type of a
 * pointer, but is a variable field; `fixed_before` tells the two apart.
 */
static int field_find(struct place *place, const struct ax_layout *layout,
		      uint32_t field)
{
	const struct write_shape *shape = layout->shape;
	uint32_t fixed = 0;
	uint32_t nvar = 0;

	if (field >= TAFFRAIL_FIELDS_MAX)
		return -EINVAL;
	for (uint32_t i = 0;; i++) {
		uint8_t type = layout->types[i];
		bool scalar = !(type & ~TAFFRAIL_T_SCALAR_MASK);

		place->type = type;
		if (!type || (scalar && !scalar_bytes(type)))
			return -EINVAL;
		place->variable = !scalar ||
				  (type == TAFFRAIL_T_PTR &&
				   nvar < shape->nvar &&
				   shape->var[nvar].rule ==
					   WRITE_RULE_ADDRESS &&
				   shape->var[nvar].fixed_before == fixed);
		place->number = place->variable ? nvar : fixed;
		if (place->variable)
			nvar++;
		else
			fixed += scalar_bytes(type);
		if (nvar > shape->nvar || fixed > shape->fixed_bytes)
			return -EINVAL;
		if (i == field)
			return 0;
	}
}

/* Returns where the string may end, as the shape says. */
static uint64_t string_extent(const struct write_shape *shape, uint32_t number)
{
	int32_t limit = shape->var[number].limit;

	if (shape->var[number].rule == WRITE_RULE_BOUNDED && limit >= 0)
		return AX_EXTENT(AX_EXTENT_BOUND, limit);
	if (shape->var[number].rule == WRITE_RULE_COUNTED)
		return AX_EXTENT(AX_EXTENT_COUNTED, 0);
	if (shape->var[number].rule != WRITE_RULE_FIELD || limit < 0 ||
	    limit > shape->fixed_bytes - 4)
		return AX_EXTENT(AX_EXTENT_NUL, 0);
	return shape->fixed_bytes <= 8 ?
		       AX_EXTENT(AX_EXTENT_VALUE, limit * 8) :
		       AX_EXTENT(AX_EXTENT_BLOCK, limit);
}

SIGSAFE const char *ax_field_decode(struct ax_insn *insn,
				    const struct ax_layout *layout,
				    const uint8_t *p)
{
	static const uint8_t steps[][9] = {	/* signed; bytes */
		{ [1] = STEP_BLOCK_U8, [2] = STEP_BLOCK_U16,
		  [4] = STEP_BLOCK_U32, [8] = STEP_BLOCK_64 },
		{ [1] = STEP_BLOCK_S8, [2] = STEP_BLOCK_S16,
		  [4] = STEP_BLOCK_S32, [8] = STEP_BLOCK_64 },
	};
	struct place place;
	uint8_t opcode = p[0];
	uint32_t bytes, element, shift;
	bool is_signed;
	uint8_t part;

	if (field_find(&place, layout, p[1]))
		return "no such field";
	if (opcode >= AX_PART) {
		/* the part's type and number stand at p + 2 */
		part = p[2] & ~AX_PART_BIG_ENDIAN;
		bytes = part & ~TAFFRAIL_T_SCALAR_MASK ? 0 : scalar_bytes(part);
		element = place.variable ?
			layout->shape->var[place.number].element_bytes : 0;
		if (!bytes || !element)
			return "the field has no such part";
		insn->var = (uint16_t)place.number;
		insn->at = bytes * (uint32_t)(p[3] << 8 | p[4]);
		insn->value = p[2] | ((uint64_t)insn->at + bytes + element -
				      1) / element << 8;
		return NULL;
	}
	if (opcode == AX_FIELD_EQUAL || opcode == AX_FIELD_GLOB) {
		/* of an array, too: the characters that it has */
		if (place.type != TAFFRAIL_T_STRING &&
		    !(place.variable && scalar_bytes(place.type) == 1))
			return "the field is not a string";
		insn->var = (uint16_t)place.number;
		insn->value = place.type == TAFFRAIL_T_STRING ?
			      string_extent(layout->shape, place.number) :
			      AX_EXTENT(AX_EXTENT_COUNTED, 0);
		return NULL;
	}
	if (place.type & ~TAFFRAIL_T_SCALAR_MASK)
		return "the field is not a number";
	if ((scalar_sort(place.type) == SCALAR_REAL) !=
	    (opcode == AX_FIELD_DOUBLE))
		return "the field is of another kind";
	is_signed = scalar_sort(place.type) == SCALAR_SIGNED;
	bytes = scalar_bytes(place.type);
	if (place.variable) {
		insn->step = STEP_ADDRESS;
		insn->var = (uint16_t)place.number;
	} else if (layout->shape->fixed_bytes > 8) {
		/* a fixed part in memory; the load need not be aligned */
		insn->step = place.type == TAFFRAIL_T_F32 ?
				     STEP_BLOCK_FLOAT : steps[is_signed][bytes];
		insn->at = place.number;
	} else {
		/* a fixed part that is passed as a value */
		shift = place.number * 8;
		insn->at = 64 - bytes * 8 - shift;
		insn->var = (uint16_t)(64 - bytes * 8);
		insn->step = is_signed ? STEP_VALUE_SIGNED :
					 STEP_VALUE_UNSIGNED;
		if (place.type == TAFFRAIL_T_F32) {
			insn->step = STEP_VALUE_FLOAT;
			insn->var = (uint16_t)shift;
		}
	}
	return NULL;
}
