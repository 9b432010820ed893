/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between the parts of the compiler of conditions: tokens, operands, code.
 * Nobody else includes this.
 *
 * The first error stays; after it the text ends for the parser, and nothing
 * is emitted any more.
 */
#ifndef TRACEPOINTS_CONDITIONS_EXPR_PRIVATE_H
#define TRACEPOINTS_CONDITIONS_EXPR_PRIVATE_H

#include "tracepoints/conditions/expr.h"

#define EXPR_DEPTH_MAX	64	/* of nested parts; bounds the stack */

enum token_kind {
	TOKEN_END,
	TOKEN_NAME,
	TOKEN_INTEGER,
	TOKEN_DOUBLE,
	TOKEN_TEXT,
	TOKEN_OPERATOR,
};

enum operator {
	OP_NONE,
	OP_OR,
	OP_AND,
	OP_BIT_OR,
	OP_BIT_XOR,
	OP_BIT_AND,
	OP_EQUAL,
	OP_NOT_EQUAL,
	OP_GLOB,		/* ~, also the unary one */
	OP_NOT_GLOB,
	OP_LESS,
	OP_LESS_EQUAL,
	OP_GREATER,
	OP_GREATER_EQUAL,
	OP_LEFT,
	OP_RIGHT,
	OP_PLUS,
	OP_MINUS,
	OP_TIMES,
	OP_DIVIDE,
	OP_REMAINDER,
	OP_NOT,
	OP_OPEN,
	OP_CLOSE,
};

struct token {
	enum token_kind kind;
	enum operator op;
	const char *start;
	const char *end;	/* behind it; a text's quotes are outside */
	const char *next;	/* where to go on */
	uint64_t value;		/* of a number; a double's bits */
	int is_unsigned;
};

/* What a part of an expression is. Numbers are on the stack of the machine;
 * strings and texts have made no code yet. */
enum operand_kind {
	OPERAND_SIGNED,
	OPERAND_UNSIGNED,
	OPERAND_DOUBLE,
	OPERAND_STRING,		/* a field */
	OPERAND_PROCNAME,
	OPERAND_TEXT,
	OPERAND_ANY,		/* of a marker that is not known */
};

struct operand {
	enum operand_kind kind;
	uint8_t field;
	uint8_t positive;	/* 0 to INT64_MAX, whatever the kind */
	uint8_t boolean;	/* 0 or 1 */
	uint8_t comparison;	/* one that is not in parentheses */
	uint8_t literal;	/* a number: */
	uint64_t value;
	size_t code;		/* where its code begins */
	const char *start;	/* where it is in the text */
	const char *end;
};

struct compiler {
	const char *text;
	const struct expr_fields *fields;	/* NULL: only check */
	struct expr_error *error;
	struct token token;		/* the next one; its start is in text */
	uint8_t *code;
	size_t size;
	size_t used;
	uint32_t depth;
	int ret;			/* the first error */
};

/* The first error of all, at a place in the text. */
void expr_fail(struct compiler *c, int ret, const char *where,
	       const char *fact);
/* The same, with a name in it that the text has: FACT "NAME" MORE. */
void expr_fail_name(struct compiler *c, int ret, const struct token *name,
		    const char *fact, const char *more);

/* Moves on to the next token. */
void expr_next(struct compiler *c);

/* The character that a literal has at *p, before `end`; moves *p behind it.
 * -1 for a bad escape. */
int expr_character(const char **p, const char *end);

/*
 * The double nearest to the decimal number of digits, with one point and an
 * exponent, from p to end. Returns 0, or -1 when it has too many digits or is
 * too large for a double.
 */
int expr_decimal(const char *p, const char *end, uint64_t *bits);

/* Code: expr-emit.c. */
void expr_emit(struct compiler *c, uint8_t opcode);
void expr_emit_number(struct compiler *c, uint64_t value, int is_signed);
void expr_emit_field(struct compiler *c, uint8_t opcode, uint8_t field);
void expr_emit_text(struct compiler *c, const struct operand *text);
/* A jump; returns where, for expr_emit_here(). */
size_t expr_emit_jump(struct compiler *c, uint8_t opcode);
void expr_emit_here(struct compiler *c, size_t jump);
/* On top of the stack then is something that is 0 when the operand is. */
void expr_emit_truth(struct compiler *c, struct operand *a);
/* a OP b, both there; a becomes the result. */
void expr_emit_binary(struct compiler *c, enum operator op, struct operand *a,
		      struct operand *b, const char *where);
void expr_emit_unary(struct compiler *c, enum operator op, struct operand *a,
		     const char *where);

#endif
