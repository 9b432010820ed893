/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Code of conditions: opcodes and their operands.
 *
 * Invariant: nothing is written beyond the caller's code[].
 */
#include "tracepoints/conditions/expr-private.h"

#include <errno.h>

#include "include/taffrail/site.h"
#include "tracepoints/conditions/ax.h"

void expr_emit(struct compiler *c, uint8_t opcode)
{
	if (c->ret || !c->fields)
		return;
	if (c->used == c->size) {
		expr_fail(c, -ENOSPC, c->token.start,
			  "the condition is too long");
		return;
	}
	c->code[c->used++] = opcode;
}

void expr_emit_operand(struct compiler *c, uint64_t value, uint32_t bytes)
{
	while (bytes--)
		expr_emit(c, (uint8_t)(value >> 8 * bytes));
}

/* A negative signed number is sign-extended from the fewest bytes that hold
 * it. */
void expr_emit_number(struct compiler *c, uint64_t value, int is_signed)
{
	static const uint8_t opcodes[] = { AX_CONST8, AX_CONST16, AX_CONST32,
					   AX_CONST64 };
	bool negative = is_signed && value >> 63;
	uint64_t magnitude = negative ? ~value << 1 : value;
	uint32_t i = 0;

	while (i < 3 && magnitude >> (8u << i))
		i++;
	expr_emit(c, opcodes[i]);
	expr_emit_operand(c, value, 1u << i);
	if (negative && i < 3) {
		expr_emit(c, AX_EXT);
		expr_emit(c, (uint8_t)(8u << i));
	}
}

void expr_emit_duration(struct compiler *c)
{
	expr_emit(c, AX_CONST64);
	expr_emit_operand(c, 0, 8);
}

void expr_emit_of_part(struct compiler *c, uint8_t opcode,
		       const struct part *part, uint8_t type)
{
	expr_emit_field(c, opcode, part->field);
	expr_emit(c, type);
	expr_emit_operand(c, part->number, 2);
}

void expr_emit_part(struct compiler *c, const struct part *part, uint8_t type)
{
	struct part load = *part;

	if (c->nparts == EXPR_PARTS_MAX) {
		expr_fail(c, -EINVAL, c->token.start,
			  "too many elements in a comparison");
		return;
	}
	c->parts[c->nparts++] = load;
	if (!part->type)
		load.number = 0;
	if (type != TAFFRAIL_T_STRING)
		expr_emit_of_part(c, AX_PART, &load,
				  type | (part->type & AX_PART_BIG_ENDIAN));
}

void expr_emit_parts(struct compiler *c, const struct operand *a)
{
	while (c->nparts > a->parts) {
		const struct part *part = &c->parts[--c->nparts];

		if (part->type) {
			expr_emit_of_part(c, AX_HAS_PART, part, part->type);
		} else {
			expr_emit_field(c, AX_FIELD, part->field - 1);
			expr_emit_number(c, part->number, 0);
			expr_emit(c, AX_EQUAL);
		}
		expr_emit(c, AX_BIT_AND);
	}
}

void expr_emit_field(struct compiler *c, uint8_t opcode, uint8_t field)
{
	expr_emit(c, opcode);
	expr_emit(c, field);
}

void expr_emit_text(struct compiler *c, const struct operand *text)
{
	const char *p = text->start;
	size_t begin = c->used;
	size_t bytes;

	expr_emit_operand(c, 0, 2);
	while (p < text->end)
		expr_emit(c, (uint8_t)expr_character(&p, text->end));
	expr_emit(c, 0);
	if (c->ret || !c->fields)
		return;
	bytes = c->used - begin - 2;
	c->code[begin] = (uint8_t)(bytes >> 8);
	c->code[begin + 1] = (uint8_t)bytes;
}

size_t expr_emit_jump(struct compiler *c, uint8_t opcode)
{
	expr_emit(c, opcode);
	expr_emit_operand(c, 0, 2);
	return c->used - 2;
}

void expr_emit_here(struct compiler *c, size_t jump)
{
	if (c->ret || !c->fields)
		return;
	c->code[jump] = (uint8_t)(c->used >> 8);
	c->code[jump + 1] = (uint8_t)c->used;
}
