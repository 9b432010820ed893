/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: simple programs. See ax-simple.h.
 *
 * Invariant: a program is simple only if every step, from the first to the end,
 * was recognised.
 */
#include "tracepoints/conditions/ax-simple.h"

#include "base/base.h"
#include "tracepoints/conditions/ax-insn.h"

#define REGISTER_MAX	127u

/* Reads the address or value that a program begins with: a register, a
 * constant, or a sum. Returns the step after it, or NULL. */
static const struct ax_insn *sum_read(const struct ax_insn *insn, uint32_t *reg,
				      uint64_t *offset)
{
	*reg = AX_SIMPLE_NO_REGISTER;
	*offset = 0;
	if (insn->step == STEP_REG && insn->at <= REGISTER_MAX) {
		*reg = insn->at;
		insn++;
	} else if (insn->step == STEP_CONST) {
		*offset = insn->value;
		insn += insn->at;
	} else {
		return NULL;
	}
	while (insn->step == STEP_CONST && insn[insn->at].step == STEP_ADD) {
		*offset += insn->value;
		insn += insn->at + 1;
	}
	return insn;
}

SIGSAFE void ax_simple_test(struct ax_simple *test,
			    const struct ax_program *program)
{
	const struct ax_insn *insn;
	enum ax_order order = AX_ORDER_WHOLE;
	uint32_t bits = 64;
	uint32_t reg;

	__builtin_memset(test, 0, sizeof(*test));
	insn = sum_read(program->insns, &reg, &test->offset);
	if (!insn)
		return;
	test->reg = (uint8_t)reg;
	if (insn->step == STEP_REF)
		test->bytes = (uint8_t)insn++->at;
	else if (reg == AX_SIMPLE_NO_REGISTER)
		return;
	if (insn->step == STEP_EXT || insn->step == STEP_ZERO_EXT) {
		order = insn->step == STEP_EXT ? AX_ORDER_SIGNED :
						 AX_ORDER_UNSIGNED;
		bits = 64 - insn->at;
		insn++;
	}
	test->shift = (uint8_t)(64 - bits);
	test->is = (uint8_t)ax_range_find(insn, bits, order, &test->low,
					  &test->span);
}

SIGSAFE bool ax_simple_collect(struct ax_simple_memory *memory,
			       const struct ax_program *program)
{
	const struct ax_insn *insn = sum_read(program->insns, &memory->reg,
					      &memory->offset);

	if (!insn)
		return false;
	if (insn->step == STEP_TRACE_KEEP) {
		memory->bytes = insn->at;
		insn++;
		if (insn->step == STEP_POP)
			insn++;
		return insn->step == STEP_END;
	}
	if (insn->step != STEP_CONST || insn[insn->at].step != STEP_TRACE)
		return false;
	memory->bytes = insn->value;
	return insn[insn->at + 1].step == STEP_END;
}
