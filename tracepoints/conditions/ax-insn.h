/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The steps of a verified program: the verifier writes them, the interpreter
 * runs them. Only the files of conditions include this.
 *
 * A step may do the work of several instructions (constant, swap, compare). The
 * steps of the others stay in their places, because a jump may lead to one of
 * them; `at` says how many instructions the step has done.
 */
#ifndef TRACEPOINTS_CONDITIONS_AX_INSN_H
#define TRACEPOINTS_CONDITIONS_AX_INSN_H

#include "tracepoints/conditions/ax.h"

/*
 * Every step: an enumerator and a label of the interpreter. The members of
 * struct ax_insn that the steps use:
 *
 *	CONST		at, value
 *	EQUAL to GREATER_UNSIGNED: at; var: 1 inverts the result. The steps
 *			.._CONST are the same, with value as the right side
 *	EXT, ZERO_EXT	at: 64 - bits
 *	PICK, GOTO..	at: number of a value, of an instruction
 *	REF		at: bytes; REG to TRACEV at: a number;
 *			TRACE_KEEP at: bytes
 *	VALUE_..	of the fixed part as a value: shift left by at, then
 *			right by var
 *	BLOCK_..	of the fixed part in memory, at offset at
 *	ADDRESS		var: number of the variable field
 *	STRING_..	var; at: where the text is; value: AX_EXTENT()
 *	PART, HAS_PART	var; at: offset in the field; value: type, and from bit
 *			8 on the elements that the field must have
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
	X(VTID) X(CPU) X(NAME_EQUAL) X(NAME_GLOB) X(VPID) X(PTHREAD) X(IP) \
	X(EQUAL_MIXED) X(LESS_SIGNED_UNSIGNED) X(LESS_UNSIGNED_SIGNED)	\
	X(DOUBLE_SIGNED) X(DOUBLE_UNSIGNED)				\
	X(DOUBLE_ADD) X(DOUBLE_SUB) X(DOUBLE_MUL) X(DOUBLE_DIV)		\
	X(DOUBLE_NEGATE) X(DOUBLE_EQUAL) X(DOUBLE_LESS)			\
	X(DOUBLE_LESS_EQUAL) X(PART) X(HAS_PART)			\
	X(DOUBLE_FLOAT) X(FLOAT_DOUBLE) X(INTEGER_DOUBLE)

#define AX_STEP_ENUMERATOR(name)	STEP_##name,
enum ax_step { AX_STEPS(AX_STEP_ENUMERATOR) STEP_MAX };

#define STEP_WITH_CONST	(STEP_EQUAL_CONST - STEP_EQUAL)

/* Where a string ends, in the value of a string's step: at the NUL, or at a
 * limit if that comes first. */
enum ax_extent {
	AX_EXTENT_NUL,		/* no limit */
	AX_EXTENT_BOUND,	/* the low 32 bits of the value */
	AX_EXTENT_VALUE,	/* the int in the event's fixed value, shifted
				 * right by the low 32 bits */
	AX_EXTENT_BLOCK,	/* the int at that offset in the fixed part */
	AX_EXTENT_COUNTED,	/* n of the variable field */
};

#define AX_EXTENT(extent, number) \
	((uint64_t)(extent) << 32 | (uint32_t)(number))

/* How a value of fewer than 64 bits is extended. */
enum ax_order {
	AX_ORDER_UNSIGNED,
	AX_ORDER_SIGNED,
	AX_ORDER_WHOLE,		/* it has 64 bits: as the comparison does it */
};

/*
 * Finds the range of a step that compares a value of so many bits with a
 * constant, and is the last step of the program. The comparison holds when the
 * value, shifted left until it is on top, lies no more than *span above *low,
 * modulo 2^64. Returns true; or false when the step is not such a comparison,
 * or no such range exists.
 */
bool ax_range_find(const struct ax_insn *test, uint32_t bits,
		   enum ax_order order, uint64_t *low, uint64_t *span);

/* Sets the first members of struct ax_program: whether the program only tests
 * one field, and the range of that test. */
void ax_quick_find(struct ax_program *program);

/* Sets the step for an opcode with a field, at p: how the field or the part is
 * loaded, or where the string ends. Returns NULL, or the fault. SIGSAFE. */
const char *ax_field_decode(struct ax_insn *insn,
			    const struct ax_layout *layout, const uint8_t *p);

/* Returns true when the string p, which ends at a NUL or after `limit` bytes,
 * is this text. SIGSAFE. */
bool ax_text_equal(const char *p, uint64_t limit, const char *text);

#endif
