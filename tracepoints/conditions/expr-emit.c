/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions as text: types and code.
 *
 * Invariant: nothing is written beyond the caller's code[]; the program passes
 * the verifier for the marker that it was compiled for.
 */
#include "tracepoints/conditions/expr-private.h"

#include <errno.h>

#include "base/glob.h"
#include "base/text.h"
#include "include/taffrail/site.h"
#include "tracepoints/conditions/ax.h"
#include "tracepoints/conditions/rule-split.h"

#define ID_PATTERN_BYTES	256

/* Returns true when the operand is a string, a text, the thread's name or the
 * marker's id: it has no value on the stack. */
static bool is_string(const struct operand *a)
{
	return a->kind == OPERAND_STRING || a->kind == OPERAND_PROCNAME ||
	       a->kind == OPERAND_ID || a->kind == OPERAND_TEXT;
}

/* Fails because of types: those of this marker, or of any if none is known. */
static void fail_types(struct compiler *c, const char *where, const char *fact)
{
	expr_fail(c, c->fields ? -ESRCH : -EINVAL, where, fact);
}

/* Fails because a duration stands beside a number without a unit. */
static void fail_units(struct compiler *c, const char *where)
{
	fail_types(c, where, "a number with a unit needs a field that has one");
}

/* Fails because a name of several values stands where one is needed. */
static void fail_range(struct compiler *c, const struct operand *a,
		       const char *where)
{
	fail_types(c, a->kind == OPERAND_RANGE ? a->start : where,
		   "the name stands for several values: use == or !=");
}

/* Makes the operand a number that is 0 or 1, and no literal. */
static void make_boolean(struct operand *a)
{
	a->kind = OPERAND_SIGNED;
	a->positive = 1;
	a->boolean = 1;
	a->literal = 0;
	a->unit = 0;
}

bool expr_is_known(const struct operand *a)
{
	return a->literal && a->kind <= OPERAND_UNSIGNED;
}

void expr_emit_known(struct compiler *c, struct operand *a, uint64_t value)
{
	c->used = a->code;
	expr_emit_number(c, value, 0);
	make_boolean(a);
	a->logic = 0;
	a->unread = a->cut = 0;
	a->literal = 1;
	a->value = value;
}

static void emit_all(struct compiler *c, const uint8_t *code, size_t n)
{
	while (n--)
		expr_emit(c, *code++);
}

void expr_emit_certain(struct compiler *c, struct operand *a)
{
	if (!a->logic)
		return;
	expr_emit_number(c, 1, 0);
	expr_emit(c, AX_RSH_UNSIGNED);
	a->logic = 0;
	a->unread |= a->cut;
}

/* Of a truth value t, makes (3t - 1) * known + 1, where `known` is 1 if no
 * field of it could not be read, and no element, of parts up to `end`, is
 * missing in one that was cut. */
static void emit_logic(struct compiler *c, struct operand *a, uint8_t end)
{
	uint8_t code[] = {
		AX_CONST8, 3, AX_MUL, AX_CONST8, 1, AX_SUB,
		AX_FIELD, c->unread, AX_CONST16, (uint8_t)(a->unread >> 8),
		(uint8_t)a->unread, AX_BIT_AND,
	};
	static const uint8_t missing[] = { AX_LOG_NOT, AX_MUL, AX_BIT_OR },
		known[] = { AX_LOG_NOT, AX_MUL, AX_CONST8, 1, AX_ADD };

	if (a->logic)
		return;
	expr_emit_boolean(c, a);
	make_boolean(a);
	a->logic = 1;
	emit_all(c, code, a->unread || a->cut ? sizeof(code) : 3);
	for (const struct part *part = c->parts + a->parts;
	     a->cut && part < c->parts + end; part++) {
		code[9] = (uint8_t)(part->unread >> 8);
		code[10] = (uint8_t)part->unread;
		emit_all(c, code + 6, sizeof(code) - 6);
		expr_emit_of_part(c, AX_HAS_PART, part, part->type);
		emit_all(c, missing, sizeof(missing));
	}
	emit_all(c, known, a->unread || a->cut ? sizeof(known) : 0);
}

void expr_emit_logic(struct compiler *c, struct operand *a)
{
	emit_logic(c, a, a->parts);
}

/* Ends a test, which is on the stack. */
static void emit_test(struct compiler *c, struct operand *a)
{
	uint8_t end = c->nparts;

	expr_emit_parts(c, a);
	if (a->unread | a->cut)
		emit_logic(c, a, end);
}

void expr_emit_boolean(struct compiler *c, const struct operand *a)
{
	if (a->boolean)
		return;
	expr_emit(c, AX_LOG_NOT);
	expr_emit(c, AX_LOG_NOT);
}

void expr_emit_truth(struct compiler *c, struct operand *a)
{
	if (is_string(a)) {
		/* a text begins after the quotation mark */
		fail_types(c, a->start - (a->kind == OPERAND_TEXT),
			   "a string is not a truth value: compare it, "
			   "NULL is \"(null)\"");
	} else if (a->kind == OPERAND_DOUBLE) {
		expr_emit_number(c, 0, 0);
		expr_emit(c, AX_DOUBLE_EQUAL);
		expr_emit(c, AX_LOG_NOT);
		make_boolean(a);
	} else if (a->kind == OPERAND_DURATION) {
		fail_units(c, a->start);
	} else if (a->kind == OPERAND_RANGE) {
		fail_range(c, a, a->start);
	} else if (c->nparts > a->parts) {
		expr_emit_boolean(c, a);
		make_boolean(a);
	}
	emit_test(c, a);
}

/* Converts the top of the stack to a double, by the operand's kind. */
static void emit_double(struct compiler *c, const struct operand *a)
{
	if (a->kind == OPERAND_SIGNED)
		expr_emit(c, AX_DOUBLE_SIGNED);
	else if (a->kind == OPERAND_UNSIGNED)
		expr_emit(c, AX_DOUBLE_UNSIGNED);
}

/* Both are on the stack, and one is a double: converts the other. */
static void emit_doubles(struct compiler *c, const struct operand *a,
			 const struct operand *b)
{
	emit_double(c, b);
	if (a->kind == OPERAND_DOUBLE)
		return;
	expr_emit(c, AX_SWAP);
	emit_double(c, a);
	expr_emit(c, AX_SWAP);
}

/* Returns true when one of both is a double: the other one is converted. */
static bool any_double(const struct operand *a, const struct operand *b)
{
	return a->kind == OPERAND_DOUBLE || b->kind == OPERAND_DOUBLE;
}

/* Return whether both values fit in signed, or in unsigned, integers. If
 * neither is so, the operands are mixed. */
static bool both_signed(const struct operand *a, const struct operand *b)
{
	return (a->kind == OPERAND_SIGNED || a->positive) &&
	       (b->kind == OPERAND_SIGNED || b->positive);
}

static bool both_unsigned(const struct operand *a, const struct operand *b)
{
	return (a->kind == OPERAND_UNSIGNED || a->positive) &&
	       (b->kind == OPERAND_UNSIGNED || b->positive);
}

/* Emits a < b, by value; a is below b on the stack. */
static void emit_less(struct compiler *c, const struct operand *a,
		      const struct operand *b)
{
	if (both_signed(a, b))
		expr_emit(c, AX_LESS_SIGNED);
	else if (both_unsigned(a, b))
		expr_emit(c, AX_LESS_UNSIGNED);
	else if (a->kind == OPERAND_SIGNED)
		expr_emit(c, AX_LESS_SIGNED_UNSIGNED);
	else
		expr_emit(c, AX_LESS_UNSIGNED_SIGNED);
}

/* Emits a comparison by value: both sides may differ in signedness. */
static void emit_compare_integers(struct compiler *c, enum operator op,
				  const struct operand *a,
				  const struct operand *b)
{
	bool mixed = !both_signed(a, b) && !both_unsigned(a, b);

	switch (op) {
	case OP_EQUAL:
	case OP_NOT_EQUAL:
		expr_emit(c, mixed ? AX_EQUAL_MIXED : AX_EQUAL);
		break;
	case OP_LESS:
	case OP_GREATER_EQUAL:
		emit_less(c, a, b);
		break;
	default:
		expr_emit(c, AX_SWAP);
		emit_less(c, b, a);
	}
	if (op == OP_NOT_EQUAL || op == OP_LESS_EQUAL ||
	    op == OP_GREATER_EQUAL)
		expr_emit(c, AX_LOG_NOT);
}

/* Returns why these two cannot be compared as a string and a text, or NULL. */
static const char *strings_wrong(enum operator op, const struct operand *a,
				 const struct operand *b)
{
	bool glob = op == OP_GLOB || op == OP_NOT_GLOB;

	if (op != OP_EQUAL && op != OP_NOT_EQUAL && !glob)
		return "strings have no order: use ==, != or ~";
	if (glob && b->kind != OPERAND_TEXT)
		return "~ needs a pattern in quotes on its right";
	if (a->kind == OPERAND_TEXT && b->kind == OPERAND_TEXT)
		return "both sides are text: one side must be a field";
	if (a->kind != OPERAND_TEXT && b->kind != OPERAND_TEXT &&
	    is_string(a) && is_string(b))
		return "compare a string with a text in quotes";
	if ((!is_string(a) && a->kind != OPERAND_ANY) ||
	    (!is_string(b) && b->kind != OPERAND_ANY))
		return (expr_is_known(a) && !a->value) ||
				       (expr_is_known(b) && !b->value) ?
			       "a string that is NULL is compared with "
			       "\"(null)\", not with 0" :
			       "a number is compared with a string";
	return NULL;
}

/* Replaces the comparison of the marker's id with a text by the result. */
static void settle_id(struct compiler *c, enum operator op, struct operand *a,
		      const struct operand *text)
{
	char pattern[ID_PATTERN_BYTES];
	const char *p = text->start, *name;
	uint32_t n = 0;
	bool holds;

	if (!c->fields)
		return;
	while (p < text->end && n < sizeof(pattern) - 1)
		pattern[n++] = (char)expr_character(&p, text->end);
	pattern[n] = 0;
	if (p < text->end || !c->fields->id) {
		expr_fail(c, -EINVAL, text->start - 1, c->fields->id ?
			  "the text is too long" : "there is no id here");
		return;
	}
	if (text_after(pattern, "line:"))
		pattern[4] = '/';
	rule_unify(pattern);
	name = text_after(c->fields->id, "fn/");
	if (rule_kind(pattern) == RULE_FUNCTIONS)
		holds = name && rule_names_function(pattern, NULL, name);
	else
		holds = op == OP_GLOB || op == OP_NOT_GLOB ?
				glob_match(pattern, c->fields->id) :
				text_equal(pattern, c->fields->id);
	expr_emit_known(c, a, (uint64_t)(holds == (op == OP_GLOB ||
						   op == OP_EQUAL)));
}

/* Emits a comparison of a string field, of the thread's name or of the id with
 * a text; fails when the two do not fit. */
static void emit_compare_strings(struct compiler *c, enum operator op,
				 struct operand *a, const struct operand *b,
				 const char *where)
{
	const char *wrong = strings_wrong(op, a, b);
	const struct operand *string = a->kind == OPERAND_TEXT ? b : a;
	const struct operand *text = a->kind == OPERAND_TEXT ? a : b;
	bool glob = op == OP_GLOB || op == OP_NOT_GLOB;

	if (wrong) {
		fail_types(c, where, wrong);
		return;
	}
	if (text->kind != OPERAND_TEXT)
		return;		/* a name, when no marker is known */
	if (string->kind == OPERAND_ID) {
		settle_id(c, op, a, text);
		return;
	}
	if (string->kind == OPERAND_STRING)
		expr_emit_field(c, glob ? AX_FIELD_GLOB : AX_FIELD_EQUAL,
				string->field);
	else
		expr_emit(c, glob ? AX_PROCNAME_GLOB : AX_PROCNAME_EQUAL);
	expr_emit_text(c, text);
	if (op == OP_NOT_EQUAL || op == OP_NOT_GLOB)
		expr_emit(c, AX_LOG_NOT);
}

/* Returns the result of a comparison of two unsigned constants. */
static bool comparison_holds(enum operator op, uint64_t a, uint64_t b)
{
	switch (op) {
	case OP_EQUAL:
		return a == b;
	case OP_NOT_EQUAL:
		return a != b;
	case OP_LESS:
		return a < b;
	case OP_LESS_EQUAL:
		return a <= b;
	case OP_GREATER:
		return a > b;
	default:
		return a >= b;
	}
}

/* Emits a comparison. With two constants, replaces their code by the result. */
static void emit_compare(struct compiler *c, enum operator op,
			 struct operand *a, struct operand *b,
			 const char *where)
{
	if (is_string(a) || is_string(b) || op == OP_GLOB ||
	    op == OP_NOT_GLOB) {
		emit_compare_strings(c, op, a, b, where);
		if (expr_is_known(a))
			return;
	} else if (any_double(a, b)) {
		emit_doubles(c, a, b);
		/* with NaNs, "not less" is not the same as "greater or
		 * equal" */
		if (op == OP_GREATER || op == OP_GREATER_EQUAL)
			expr_emit(c, AX_SWAP);
		if (op == OP_EQUAL || op == OP_NOT_EQUAL)
			expr_emit(c, AX_DOUBLE_EQUAL);
		else if (op == OP_LESS || op == OP_GREATER)
			expr_emit(c, AX_DOUBLE_LESS);
		else
			expr_emit(c, AX_DOUBLE_LESS_EQUAL);
		if (op == OP_NOT_EQUAL)
			expr_emit(c, AX_LOG_NOT);
	} else if (expr_is_known(a) && a->positive && expr_is_known(b) &&
		   b->positive) {
		expr_emit_known(c, a,
				(uint64_t)comparison_holds(op, a->value,
							   b->value));
		return;
	} else {
		emit_compare_integers(c, op, a, b);
	}
	make_boolean(a);
	emit_test(c, a);
}

static const struct {
	uint8_t of_signed;
	uint8_t of_unsigned;
	uint8_t of_double;	/* 0: doubles do not have it */
} arithmetic[] = {
	[OP_BIT_OR] = { AX_BIT_OR, AX_BIT_OR, 0 },
	[OP_BIT_XOR] = { AX_BIT_XOR, AX_BIT_XOR, 0 },
	[OP_BIT_AND] = { AX_BIT_AND, AX_BIT_AND, 0 },
	[OP_LEFT] = { AX_LSH, AX_LSH, 0 },
	[OP_RIGHT] = { AX_RSH_SIGNED, AX_RSH_UNSIGNED, 0 },
	[OP_PLUS] = { AX_ADD, AX_ADD, AX_DOUBLE_ADD },
	[OP_MINUS] = { AX_SUB, AX_SUB, AX_DOUBLE_SUB },
	[OP_TIMES] = { AX_MUL, AX_MUL, AX_DOUBLE_MUL },
	[OP_DIVIDE] = { AX_DIV_SIGNED, AX_DIV_UNSIGNED, AX_DOUBLE_DIV },
	[OP_REMAINDER] = { AX_REM_SIGNED, AX_REM_UNSIGNED, 0 },
};

/* Returns why a OP b cannot be computed, or NULL. */
static const char *arithmetic_wrong(enum operator op, const struct operand *a,
				    const struct operand *b)
{
	bool shift = op == OP_LEFT || op == OP_RIGHT;

	if (is_string(a) || is_string(b))
		return "a string is not a number";
	if (any_double(a, b))
		return arithmetic[op].of_double ? NULL :
						  "this is for integers only";
	if (!b->literal)
		return NULL;
	if (!b->value && (op == OP_REMAINDER ||
			  (op == OP_DIVIDE && a->kind != OPERAND_ANY)))
		return "division by zero";
	if (shift && b->value > 63)
		return "a shift by less than 0 or more than 63";
	return NULL;
}

/* Returns 1 when the result is certainly 0 to INT64_MAX. */
static int stays_positive(enum operator op, const struct operand *a,
			  const struct operand *b)
{
	switch (op) {
	case OP_BIT_AND:
		return a->positive || b->positive;
	case OP_BIT_OR:
	case OP_BIT_XOR:
	case OP_DIVIDE:
	case OP_REMAINDER:
		return a->positive && b->positive;
	case OP_RIGHT:
		return a->positive;
	default:
		return 0;
	}
}

/* Emits a OP b. The result is unsigned if one side is, as in C; a shift takes
 * the kind of the left side. */
static void emit_arithmetic(struct compiler *c, enum operator op,
			    struct operand *a, struct operand *b,
			    const char *where)
{
	const char *wrong = arithmetic_wrong(op, a, b);
	bool is_unsigned;

	if (wrong)
		fail_types(c, where, wrong);
	a->literal = 0;
	a->boolean = 0;
	if (a->kind == OPERAND_ANY || b->kind == OPERAND_ANY) {
		a->kind = OPERAND_ANY;
		return;
	}
	if (any_double(a, b)) {
		emit_doubles(c, a, b);
		expr_emit(c, arithmetic[op].of_double);
		a->kind = OPERAND_DOUBLE;
		return;
	}
	is_unsigned = a->kind == OPERAND_UNSIGNED ||
		      (b->kind == OPERAND_UNSIGNED && op != OP_LEFT &&
		       op != OP_RIGHT);
	expr_emit(c, is_unsigned ? arithmetic[op].of_unsigned :
				   arithmetic[op].of_signed);
	a->positive = (uint8_t)stays_positive(op, a, b);
	a->kind = is_unsigned ? OPERAND_UNSIGNED : OPERAND_SIGNED;
}

/* Makes of a duration the number that it is in the unit of the other side. */
static void duration_settle(struct compiler *c, struct operand *a,
			    const struct operand *other, const char *where)
{
	int ten = 3 * ((a->unit & 3) - (other->unit & 3));
	size_t used = c->used;
	int negative = (int)a->value;

	if (!other->unit || other->kind == OPERAND_DURATION) {
		if (other->kind != OPERAND_ANY)
			fail_units(c, where);
		a->kind = OPERAND_ANY;
		return;
	}
	a->unit = other->unit;
	a->kind = OPERAND_SIGNED;
	if (expr_decimal_integer(a->start, a->end, ten, &a->value)) {
		a->kind = OPERAND_DOUBLE;
		if (expr_decimal(a->start, a->end, ten, &a->value))
			expr_fail(c, -EINVAL, a->start,
				  "the number does not fit a double");
		a->value |= (uint64_t)negative << 63;
	} else if (negative) {
		a->value = 0 - a->value;
	}
	a->literal = 1;
	a->positive = a->kind == OPERAND_SIGNED && !(a->value >> 63);
	c->used = a->code + 1;
	expr_emit_operand(c, a->value, 8);
	c->used = used;
}

/* Returns whether a text is this name, as a whole. */
static bool is_label(const struct operand *text, const struct shown_name *name)
{
	const char *p = text->start, *label = name->start;

	while (p < text->end && label < name->end)
		if (expr_character(&p, text->end) != (uint8_t)*label++)
			return false;
	return p == text->end && label == name->end;
}

/* Makes of a text the values that have it as their name: a name may be no word.
 */
static void text_settle(struct compiler *c, struct operand *text,
			const struct operand *field)
{
	struct shown_field shown;
	struct shown_name name;

	shown_find(&shown, &c->fields->shown, field->field);
	while (shown_next(&shown, &name)) {
		if (!is_label(text, &name))
			continue;
		if (text->kind == OPERAND_RANGE)
			expr_fail(c, -ESRCH, text->start - 1,
				  "the name stands for several ranges: compare "
				  "with numbers");
		text->kind = OPERAND_RANGE;
		text->value = (uint64_t)name.value;
		text->to = (uint64_t)name.to;
	}
	if (text->kind == OPERAND_TEXT)
		expr_fail(c, -ESRCH, text->start - 1,
			  "no value of the field has this name");
}

/* Emits the test whether a number, which is on the stack, is one of the values
 * of a name: the distance from the first one is no larger than the last one's.
 */
static void emit_within(struct compiler *c, enum operator op, struct operand *a,
			const struct operand *b, const char *where)
{
	const struct operand *range = a->kind == OPERAND_RANGE ? a : b;
	const struct operand *number = range == a ? b : a;

	if ((op != OP_EQUAL && op != OP_NOT_EQUAL) ||
	    number->kind > OPERAND_UNSIGNED) {
		fail_range(c, range, where);
		return;
	}
	expr_emit_number(c, range->value, 0);
	expr_emit(c, AX_SUB);
	expr_emit_number(c, range->to - range->value, 0);
	expr_emit(c, AX_SWAP);
	expr_emit(c, AX_LESS_UNSIGNED);
	if (op == OP_EQUAL)
		expr_emit(c, AX_LOG_NOT);
	make_boolean(a);
	emit_test(c, a);
}

void expr_emit_binary(struct compiler *c, enum operator op, struct operand *a,
		      struct operand *b, const char *where)
{
	bool sum = op == OP_PLUS || op == OP_MINUS || op == OP_REMAINDER;

	a->unread |= b->unread;
	a->cut |= b->cut;
	if (op == OP_EQUAL || op == OP_NOT_EQUAL) {
		if (a->named && b->kind == OPERAND_TEXT)
			text_settle(c, b, a);
		if (b->named && a->kind == OPERAND_TEXT)
			text_settle(c, a, b);
	}
	a->named = 0;
	if (a->kind == OPERAND_RANGE || b->kind == OPERAND_RANGE) {
		emit_within(c, op, a, b, where);
		return;
	}
	if (a->kind == OPERAND_DURATION)
		duration_settle(c, a, b, where);
	if (b->kind == OPERAND_DURATION)
		duration_settle(c, b, a, where);
	/* of two different units the result has none */
	if (op < OP_PLUS ||
	    (a->unit && b->unit && (!sum || (a->unit ^ b->unit) & 3)))
		a->unit = 0;
	else if (!a->unit && (sum || op == OP_TIMES))
		a->unit = b->unit;
	if (op >= OP_EQUAL && op <= OP_GREATER_EQUAL)
		emit_compare(c, op, a, b, where);
	else
		emit_arithmetic(c, op, a, b, where);
}

/* Replaces the code of a literal by that of the new value. */
static void emit_again(struct compiler *c, struct operand *a, uint64_t value)
{
	c->used = a->code;
	a->value = value;
	a->positive = a->kind != OPERAND_DOUBLE && !(value >> 63);
	expr_emit_number(c, value, a->kind == OPERAND_SIGNED);
}

/* Emits -a; changes the code of a literal, because a constant has no sign of
 * its own in the bytecode. */
static void emit_minus(struct compiler *c, struct operand *a,
		       const char *where)
{
	if (a->kind == OPERAND_DURATION) {
		a->value ^= 1;
	} else if (a->kind == OPERAND_DOUBLE && a->literal) {
		emit_again(c, a, a->value ^ 1ull << 63);
	} else if (a->kind == OPERAND_DOUBLE) {
		expr_emit(c, AX_DOUBLE_NEGATE);
	} else if (a->literal) {
		if (a->kind == OPERAND_UNSIGNED && a->value > 1ull << 63)
			expr_fail(c, -EINVAL, where,
				  "the number does not fit in 64 bits");
		if (a->value == 1ull << 63)
			a->kind = OPERAND_SIGNED;
		emit_again(c, a, 0 - a->value);
	} else {
		expr_emit_number(c, 0, 0);
		expr_emit(c, AX_SWAP);
		expr_emit(c, AX_SUB);
		a->positive = 0;
	}
	a->boolean = 0;
}

void expr_emit_unary(struct compiler *c, enum operator op, struct operand *a,
		     const char *where)
{
	/* two bits of 000111 in base 2 */
	static const uint8_t inverse[] = {
		AX_CONST8, 7, AX_SWAP, AX_DUP, AX_ADD, AX_RSH_UNSIGNED,
		AX_CONST8, 3, AX_BIT_AND,
	};

	if (op == OP_NOT && expr_is_known(a)) {
		expr_emit_known(c, a, !a->value);
		return;
	}
	if (op == OP_NOT) {
		expr_emit_truth(c, a);
		if (a->logic) {
			emit_all(c, inverse, sizeof(inverse));
			return;
		}
		expr_emit(c, AX_LOG_NOT);
		make_boolean(a);
		return;
	}
	expr_emit_certain(c, a);
	if (is_string(a))
		fail_types(c, where, "a string is not a number");
	if (a->kind == OPERAND_RANGE)
		fail_range(c, a, where);
	if (op == OP_GLOB && a->kind == OPERAND_DURATION)
		fail_units(c, where);
	if (op == OP_GLOB && a->kind == OPERAND_DOUBLE)
		fail_types(c, where, "this is for integers only");
	a->named = 0;
	if (op == OP_MINUS)
		emit_minus(c, a, where);
	if (op == OP_GLOB) {
		expr_emit(c, AX_BIT_NOT);
		a->positive = 0;
		a->literal = 0;
		a->boolean = 0;
	}
}
