/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between verifier and interpreter: a program after it was rewritten. Nobody
 * else includes this.
 *
 * A step may stand for several instructions (constant, swap, compare). They
 * stay where they are, so that a jump into their midst finds them; `at` says
 * how many the step has done.
 */
#ifndef TRACEPOINTS_CONDITIONS_AX_INSN_H
#define TRACEPOINTS_CONDITIONS_AX_INSN_H

#include "tracepoints/conditions/ax.h"

/*
 * Every step: an enumerator and a label of the interpreter. What it uses of
 * struct ax_insn:
 *
 *	CONST		at, value
 *	EQUAL to GREATER_UNSIGNED: at; var: 1 inverts the result. The same
 *			again as .._CONST with value as the right side
 *	EXT, ZERO_EXT	at: 64 - bits
 *	PICK, GOTO..	at: number of a value, of an instruction
 *	REF		at: bytes; REG to TRACEV at: a number;
 *			TRACE_KEEP at: bytes
 *	VALUE_..	of the fixed part as a value: shift left by at, then
 *			right by var
 *	BLOCK_..	of the fixed part in memory, at offset at
 *	ADDRESS		var: number of the variable field
 *	STRING_..	var; at: where the text is; value: AX_EXTENT()
 *	NAME_..		at: where the text is
 */
#define AX_STEPS(X)							\
	X(NONE) X(END) X(CONST)						\
	X(EQUAL) X(LESS_SIGNED) X(LESS_UNSIGNED)			\
	X(GREATER_SIGNED) X(GREATER_UNSIGNED)				\
	X(EQUAL_CONST) X(LESS_SIGNED_CONST) X(LESS_UNSIGNED_CONST)	\
	X(GREATER_SIGNED_CONST) X(GREATER_UNSIGNED_CONST)		\
	X(ADD) X(SUB) X(MUL)						\
	X(DIV_SIGNED) X(DIV_UNSIGNED) X(REM_SIGNED) X(REM_UNSIGNED)	\
	X(LSH) X(RSH_SIGNED) X(RSH_UNSIGNED)				\
	X(LOG_NOT) X(BIT_AND) X(BIT_OR) X(BIT_XOR) X(BIT_NOT)		\
	X(EXT) X(ZERO_EXT) X(DUP) X(POP) X(SWAP) X(PICK) X(ROT)		\
	X(GOTO) X(IF_GOTO) X(GOTO_BACK) X(IF_GOTO_BACK)			\
	X(REF) X(REG) X(GETV) X(SETV) X(TRACEV)				\
	X(TRACE) X(TRACE_KEEP) X(TRACENZ)				\
	X(VALUE_SIGNED) X(VALUE_UNSIGNED) X(VALUE_FLOAT)		\
	X(BLOCK_S8) X(BLOCK_U8) X(BLOCK_S16) X(BLOCK_U16)		\
	X(BLOCK_S32) X(BLOCK_U32) X(BLOCK_64) X(BLOCK_FLOAT)		\
	X(ADDRESS) X(STRING_EQUAL) X(STRING_GLOB)			\
	X(VTID) X(CPU) X(NAME_EQUAL) X(NAME_GLOB)			\
	X(EQUAL_MIXED) X(LESS_SIGNED_UNSIGNED) X(LESS_UNSIGNED_SIGNED)	\
	X(DOUBLE_SIGNED) X(DOUBLE_UNSIGNED)				\
	X(DOUBLE_ADD) X(DOUBLE_SUB) X(DOUBLE_MUL) X(DOUBLE_DIV)		\
	X(DOUBLE_NEGATE) X(DOUBLE_EQUAL) X(DOUBLE_LESS)			\
	X(DOUBLE_LESS_EQUAL)

#define AX_STEP_ENUMERATOR(name)	STEP_##name,
enum ax_step { AX_STEPS(AX_STEP_ENUMERATOR) STEP_MAX };

#define STEP_WITH_CONST	(STEP_EQUAL_CONST - STEP_EQUAL)

/* How far a string goes, in the value of a string's step. */
enum ax_extent {
	AX_EXTENT_NUL,		/* to its NUL */
	AX_EXTENT_BOUND,	/* no further than the low 32 bits say */
	AX_EXTENT_VALUE,	/* than the int in the fixed value, shifted
				 * right by the low 32 bits, says */
	AX_EXTENT_BLOCK,	/* than the int at that offset says */
};

#define AX_EXTENT(extent, number) \
	((uint64_t)(extent) << 32 | (uint32_t)(number))

/* How a value of fewer than 64 bits is extended. */
enum ax_order {
	AX_ORDER_UNSIGNED,
	AX_ORDER_SIGNED,
	AX_ORDER_WHOLE,		/* it has 64 bits: as the comparison has it */
};

/*
 * Is this step a comparison of a value of so many bits with a constant, and
 * the last of the program? Then the value, shifted so that it is on top, lies
 * no more than *span above *low, modulo 2^64, when it holds. Returns 1, or 0
 * also where no such range says it.
 */
int ax_range_find(const struct ax_insn *test, uint32_t bits,
		  enum ax_order order, uint64_t *low, uint64_t *span);

/* Sees whether a program is only a test of one field; see struct ax_program. */
void ax_quick_find(struct ax_program *program);

/* The step that does an opcode with a field: how it is loaded, or how far the
 * string goes. Returns NULL, or what is wrong with it. SIGSAFE. */
const char *ax_field_decode(struct ax_insn *insn,
			    const struct ax_layout *layout, uint8_t opcode,
			    uint32_t field);

/* Is the string p, which ends at its NUL or after `limit` bytes, this text?
 * Does it match this glob (base/glob.h)? SIGSAFE. */
int ax_text_equal(const char *p, uint64_t limit, const char *text);

#endif
