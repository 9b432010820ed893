/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tokens, operands and code: shared by the parts of the compiler of conditions.
 * No other file includes this.
 *
 * The first error is kept; after it the parser sees the end of the text, and no
 * code is emitted.
 */
#ifndef TRACEPOINTS_CONDITIONS_EXPR_PRIVATE_H
#define TRACEPOINTS_CONDITIONS_EXPR_PRIVATE_H

#include "tracepoints/conditions/expr.h"

#define EXPR_DEPTH_MAX	64	/* of nested parts; bounds the stack */

enum token_kind {
	TOKEN_END, TOKEN_NAME, TOKEN_INTEGER, TOKEN_DOUBLE, TOKEN_DURATION,
	TOKEN_TEXT, TOKEN_OPERATOR,
};

enum operator {
	OP_NONE, OP_OR, OP_AND, OP_BIT_OR, OP_BIT_XOR, OP_BIT_AND, OP_EQUAL,
	OP_NOT_EQUAL,
	OP_GLOB,		/* ~, also the unary one */
	OP_NOT_GLOB,
	OP_LESS, OP_LESS_EQUAL, OP_GREATER, OP_GREATER_EQUAL, OP_LEFT, OP_RIGHT,
	OP_PLUS, OP_MINUS, OP_TIMES, OP_DIVIDE, OP_REMAINDER, OP_NOT, OP_OPEN,
	OP_CLOSE,
};

struct token {
	enum token_kind kind;
	enum operator op;
	const char *start;
	const char *end;	/* after it; a text's quotes are outside */
	const char *next;	/* where the next token is looked for */
	uint64_t value;		/* of a number; a double's bits */
	int is_unsigned;
	uint8_t unit;		/* of a duration, as fields have it; or 0 */
};

/* The kind of a part of an expression. The code for a number puts it on the
 * machine's stack; a string or a text has no code yet. */
enum operand_kind {
	OPERAND_SIGNED, OPERAND_UNSIGNED, OPERAND_DOUBLE,
	OPERAND_STRING,		/* a field */
	OPERAND_PROCNAME,
	OPERAND_ID,		/* of the marker */
	OPERAND_TEXT,
	OPERAND_ANY,		/* a name, when no marker is known */
	OPERAND_DURATION,	/* a number with a unit: which constant it is
				 * depends on what it is compared with */
	OPERAND_RANGE,		/* a name of several values; no code */
};

struct operand {
	enum operand_kind kind;
	uint8_t field;
	uint8_t positive;	/* 0 to INT64_MAX, whatever the kind */
	uint8_t boolean;	/* 0 or 1 */
	uint8_t comparison;	/* a comparison not in parentheses */
	uint8_t named;		/* a field alone, whose values have names */
	uint8_t literal;	/* a number of the text, with this value: */
	uint64_t value;		/* of a duration: 1 if it is negative */
	uint64_t to;		/* of a range: the last value */
	uint8_t unit;		/* enum taffrail_how; 0: none */
	uint8_t parts;		/* of c->parts[], those before it */
	uint8_t logic;		/* on the stack is 0 for false, 3 for true, 1
				 * for unknown; `boolean` is set, too */
	uint16_t unread;	/* bits of fields that it is made of, which may
				 * be such as could not be read */
	uint16_t cut;		/* bits of those of which it has elements: it
				 * is unknown where these are not there */
	size_t code;		/* where the code begins */
	const char *start;	/* where it is in the text */
	const char *end;
};

/* A part of a field that may not be there: an element of an array, or an option
 * of a union. */
struct part {
	uint8_t field;
	uint8_t type;		/* 0: an option, of the field before; or with
				 * AX_PART_BIG_ENDIAN */
	uint16_t number;
	uint16_t unread;	/* of an element: the bit of the field */
};

#define EXPR_PARTS_MAX	8	/* in a comparison */

struct compiler {
	const char *text;
	const struct expr_fields *fields;	/* NULL: only check */
	struct expr_error *error;
	struct token token;		/* the next one; its start is in text */
	uint8_t *code;
	size_t size;
	size_t used;
	uint32_t depth;
	uint8_t unread;			/* the field that has a bit for each
					 * one before it; 0: there is none */
	uint8_t field;			/* the last one that was used, or: */
#define EXPR_FIELD_LEVEL	0xff	/* the marker's level */
	int ret;			/* the first error */
	uint8_t nparts;			/* that a comparison will ask for */
	struct part parts[EXPR_PARTS_MAX];
};

/* Sets the error, at a place in the text; ignored after the first error. */
void expr_fail(struct compiler *c, int ret, const char *where,
	       const char *fact);
/* Does the same, with a name from the text: FACT "NAME" MORE. */
void expr_fail_name(struct compiler *c, int ret, const struct token *name,
		    const char *fact, const char *more);

/* Moves on to the next token. */
void expr_next(struct compiler *c);

/* Returns the character of a literal at *p, before `end`, and moves *p past it.
 * Returns -1 for a bad escape. */
int expr_character(const char **p, const char *end);

/*
 * Stores the double nearest to 10^ten times the decimal number from p to end,
 * which has digits, at most one point, and perhaps an exponent. Returns 0, or
 * -1 when the number has too many digits or is too large for a double.
 */
int expr_decimal(const char *p, const char *end, int ten, uint64_t *bits);

/* Stores 10^ten times such a number, without an exponent, as a signed integer.
 * Returns 0, or -1: it is none. */
int expr_decimal_integer(const char *p, const char *end, int ten,
			 uint64_t *value);

/* Code: expr-code.c, and expr-emit.c from expr_is_known() on. Nothing is
 * emitted after a failure (c->ret), or when no marker is known. */
void expr_emit(struct compiler *c, uint8_t opcode);
void expr_emit_number(struct compiler *c, uint64_t value, int is_signed);
void expr_emit_field(struct compiler *c, uint8_t opcode, uint8_t field);
/* Emits the load of a part, and asks for the part in the comparison. */
void expr_emit_part(struct compiler *c, const struct part *part, uint8_t type);
/* Emits the low bytes of a value, highest first. */
void expr_emit_operand(struct compiler *c, uint64_t value, uint32_t bytes);
/* Emits an opcode for a part. */
void expr_emit_of_part(struct compiler *c, uint8_t opcode,
		       const struct part *part, uint8_t type);
/* The top of the stack is a test: makes it false where a part of a is not
 * there. */
void expr_emit_parts(struct compiler *c, const struct operand *a);
/* Emits the characters of a text. */
void expr_emit_text(struct compiler *c, const struct operand *text);
/* Emits room for a number that expr_emit_binary() knows. */
void expr_emit_duration(struct compiler *c);
/* Emits a jump. Returns the place for expr_emit_here(), which sets the target
 * to the end of the code. */
size_t expr_emit_jump(struct compiler *c, uint8_t opcode);
void expr_emit_here(struct compiler *c, size_t jump);
/* Tells whether a part is an integer that is known now. */
bool expr_is_known(const struct operand *a);
/* Replaces the code from there on by a 0 or 1. */
void expr_emit_known(struct compiler *c, struct operand *a, uint64_t value);
/* Makes the top of the stack 0 or 1. */
void expr_emit_boolean(struct compiler *c, const struct operand *a);
/* Makes the top of the stack a number: 1 if it is certainly true, or 0. */
void expr_emit_certain(struct compiler *c, struct operand *a);
/* Makes the top of the stack, which is a truth value, one that may be unknown.
 */
void expr_emit_logic(struct compiler *c, struct operand *a);
/* Emits code after which the top of the stack is 0 only if the operand is 0. */
void expr_emit_truth(struct compiler *c, struct operand *a);
/* Emits a OP b; the code of both is there. a becomes the result. */
void expr_emit_binary(struct compiler *c, enum operator op, struct operand *a,
		      struct operand *b, const char *where);
void expr_emit_unary(struct compiler *c, enum operator op, struct operand *a,
		     const char *where);

#endif
