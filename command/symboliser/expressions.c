/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the expressions of rules for lines, and gives their values: the
 * symboliser's child. Facts: C11, 6.3.1, "Arithmetic operands", and 6.5.
 *
 *	sum	operand, or sums with an operator between them; sum ? sum : sum
 *	operand	-operand ~operand !operand *operand &operand (TYPE)operand, or
 *		NUMBER, NAME and (sum), with .MEMBER ->MEMBER [sum] behind
 *
 * Numbers are computed in the types of C, as gdb does. A number that is divided
 * by 0 cannot be read.
 */
#include "command/symboliser/dwarf-private.h"

#include <ctype.h>
#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "tracepoints/fields/scalar.h"

#define NAME_BYTES	128

/* Of operators. */
#define LEVEL_CHOICE	0
#define LEVEL_OR	1
#define LEVEL_AND	2
#define LEVEL_EQUAL	6
#define LEVEL_LESS	7
#define LEVEL_SHIFT	8
#define LEVEL_SUM	9

static const char *sum_take(struct value *v, const char *p, int level,
			    const struct value_scope *scope);

/* Copies a name, which may have "::" if `scoped`, and returns the text behind
 * it; NULL: there is no name. */
static const char *name_take(char name[NAME_BYTES], const char *p, bool scoped)
{
	size_t n = 0;

	while (isalnum((unsigned char)*p) || *p == '_' ||
	       (scoped && *p == ':' &&
		(p[1] == ':' || (n && name[n - 1] == ':')))) {
		if (n + 1 == NAME_BYTES)
			return NULL;
		name[n++] = *p++;
	}
	name[n] = '\0';
	return n && !isdigit((unsigned char)*name) ? p : NULL;
}

static const char *blanks_skip(const char *p)
{
	return p + strspn(p, " \t");
}

/* Makes a number of another type. */
static void number_convert(struct value *v, uint8_t to)
{
	uint8_t from = v->number;
	bool real = scalar_sort(from) == SCALAR_REAL;

	v->number = to;
	v->has_type = v->points = false;
	if (from == to)
		return;
	if (from == TAFFRAIL_T_F32)
		code_op(v, AX_DOUBLE_FLOAT);
	if (scalar_sort(to) == SCALAR_REAL) {
		if (!real)
			code_op(v, scalar_sort(from) == SCALAR_SIGNED ?
					   AX_DOUBLE_SIGNED :
					   AX_DOUBLE_UNSIGNED);
		if (to == TAFFRAIL_T_F32)
			code_op(v, AX_FLOAT_DOUBLE);
	} else if (to == TAFFRAIL_T_BOOL) {
		if (real)
			code_const(v, 0);
		code_op(v, real ? AX_DOUBLE_EQUAL : AX_LOG_NOT);
		code_op(v, AX_LOG_NOT);
	} else {
		if (real)
			code_op(v, AX_INTEGER_DOUBLE);
		code_extend(v, to);
	}
}

/* Returns the type in which numbers of two types are computed. */
static uint8_t common_type(uint8_t a, uint8_t b)
{
	uint32_t of_a = scalar_bytes(a), of_b = scalar_bytes(b);
	uint32_t bytes = of_a == 8 || of_b == 8 ? 8 : 4;

	if (scalar_sort(a) == SCALAR_REAL || scalar_sort(b) == SCALAR_REAL)
		return a == TAFFRAIL_T_F64 || b == TAFFRAIL_T_F64 ?
			       TAFFRAIL_T_F64 : TAFFRAIL_T_F32;
	/* one without a sign has all bytes */
	return scalar_of_sort(
		(of_a == bytes && scalar_sort(a) != SCALAR_SIGNED) ||
				(of_b == bytes &&
				 scalar_sort(b) != SCALAR_SIGNED) ?
			SCALAR_UNSIGNED : SCALAR_SIGNED, bytes);
}

/* Operators between numbers; a higher level binds closer. */
static const struct operation {
	char text[3];
	uint8_t level;
	uint8_t of_signed, of_unsigned, of_double;	/* AX_; 0: none */
} operations[] = {
	{ "||", LEVEL_OR, 0, 0, 0 },
	{ "&&", LEVEL_AND, 0, 0, 0 },
	{ "|", 3, AX_BIT_OR, AX_BIT_OR, 0 },
	{ "^", 4, AX_BIT_XOR, AX_BIT_XOR, 0 },
	{ "&", 5, AX_BIT_AND, AX_BIT_AND, 0 },
	{ "==", LEVEL_EQUAL, AX_EQUAL, AX_EQUAL, AX_DOUBLE_EQUAL },
	{ "!=", LEVEL_EQUAL, AX_EQUAL, AX_EQUAL, AX_DOUBLE_EQUAL },
	{ "<=", LEVEL_LESS, AX_LESS_SIGNED, AX_LESS_UNSIGNED,
	  AX_DOUBLE_LESS_EQUAL },
	{ ">=", LEVEL_LESS, AX_LESS_SIGNED, AX_LESS_UNSIGNED,
	  AX_DOUBLE_LESS_EQUAL },
	{ "<<", LEVEL_SHIFT, AX_LSH, AX_LSH, 0 },
	{ ">>", LEVEL_SHIFT, AX_RSH_SIGNED, AX_RSH_UNSIGNED, 0 },
	{ "<", LEVEL_LESS, AX_LESS_SIGNED, AX_LESS_UNSIGNED, AX_DOUBLE_LESS },
	{ ">", LEVEL_LESS, AX_LESS_SIGNED, AX_LESS_UNSIGNED, AX_DOUBLE_LESS },
	{ "+", LEVEL_SUM, AX_ADD, AX_ADD, AX_DOUBLE_ADD },
	{ "-", LEVEL_SUM, AX_SUB, AX_SUB, AX_DOUBLE_SUB },
	{ "*", 10, AX_MUL, AX_MUL, AX_DOUBLE_MUL },
	{ "/", 10, AX_DIV_SIGNED, AX_DIV_UNSIGNED, AX_DOUBLE_DIV },
	{ "%", 10, AX_REM_SIGNED, AX_REM_UNSIGNED, 0 },
};

/* Returns the operator that a text begins with, or NULL. */
static const struct operation *operation_find(const char *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		if (!strncmp(p, operations[i].text, strlen(operations[i].text)))
			return &operations[i];
	return NULL;
}

/* Makes the element of an array, or behind a pointer, that another value
 * counts. */
static void element_of(struct value *v, struct value *index, bool backwards)
{
	if (!value_load(index) || scalar_sort(index->number) == SCALAR_REAL) {
		value_refuse(v, index->kind ? "has an index that is no integer" :
					      index->why);
		return;
	}
	class_element(v, 0);
	if (!v->kind)
		return;
	code_address(v);
	code_append(v, index);
	code_const(v, (int64_t)value_stride(v));
	code_op(v, AX_MUL);
	code_op(v, backwards ? AX_SUB : AX_ADD);
	v->follows = true;
}

/* Tells whether a value is a pointer, or an array, of which the first element
 * has an address. */
static bool is_address(const struct value *v)
{
	Dwarf_Die type = v->type;

	return value_is_pointer(v) ||
	       (v->has_type && dw.tag(&type) == DW_TAG_array_type);
}

/* Makes an address of an array. */
static void array_decay(struct value *v)
{
	if (value_is_pointer(v))
		return;
	class_element(v, 0);
	if (!v->kind)
		return;
	code_address(v);
	v->kind = VALUE_NUMBER;
	v->points = true;
}

/* Returns the bytes of that to which a pointer leads, which may be a row. */
static Dwarf_Word pointed_bytes(const struct value *pointer)
{
	struct value element = *pointer;

	if (!pointer->points)
		value_type(&element, &element.type);
	return value_stride(&element);
}

/* Makes the number of elements between two pointers. */
static void difference_make(struct value *a, struct value *b)
{
	Dwarf_Word bytes;

	array_decay(a);
	array_decay(b);
	bytes = a->kind && b->kind ? pointed_bytes(a) : 0;
	if (!bytes || pointed_bytes(b) != bytes || !value_load(a) ||
	    !value_load(b)) {
		value_refuse(a, "has no elements of one known size");
		return;
	}
	code_append(a, b);
	code_op(a, AX_SUB);
	code_const(a, (int64_t)bytes);
	code_op(a, AX_DIV_SIGNED);
	a->number = TAFFRAIL_T_S64;
	a->has_type = a->points = false;
}

/* Adds the operation of a comparison, of which the result is 0 or 1. The
 * operands of ">" and ">=" are changed over, and of integers "<=" is not ">".
 */
static void comparison_add(struct value *a, struct value *b, const char *text,
			   uint8_t code)
{
	bool real = code == AX_DOUBLE_LESS_EQUAL;
	bool swap = *text == '>' ? real || !text[1] : *text == '<' && !real &&
							text[1];

	code_append(a, b);
	if (swap)
		code_op(a, AX_SWAP);
	code_op(a, (enum ax_opcode)code);
	if (*text == '!' || (text[1] && !real && *text != '='))
		code_op(a, AX_LOG_NOT);
	a->number = TAFFRAIL_T_S32;
	a->has_type = a->points = false;
}

/* Puts a jump. Returns the place for jump_here(). */
static uint32_t jump_put(struct value *v, enum ax_opcode opcode)
{
	code_op(v, opcode);
	code_put(v, 0, 2);
	return v->n - 2;
}

/* Has a jump lead to the end of the code. */
static void jump_here(struct value *v, uint32_t jump)
{
	if (v->cut)
		return;
	v->code[jump] = (uint8_t)(v->n >> 8);
	v->code[jump + 1] = (uint8_t)v->n;
}

/* Makes a && b, or a || b: where a decides, b is not read. */
static void logic_apply(struct value *a, struct value *b, bool either)
{
	uint32_t jump;

	if (!value_load(a) || !value_load(b)) {
		value_refuse(a, a->kind ? b->why : a->why);
		return;
	}
	number_convert(a, TAFFRAIL_T_BOOL);
	number_convert(b, TAFFRAIL_T_BOOL);
	code_op(a, AX_DUP);
	if (!either)
		code_op(a, AX_LOG_NOT);
	jump = jump_put(a, AX_IF_GOTO);
	code_op(a, AX_POP);
	code_append(a, b);
	jump_here(a, jump);
	a->number = TAFFRAIL_T_S32;
}

/* Makes v ? yes : no, of the type of both, and of a pointer that of the one
 * that is no number. */
static void choice_apply(struct value *v, struct value *yes, struct value *no)
{
	const struct value *from = value_is_pointer(yes) ? yes : no;
	struct value made;
	uint32_t jump;

	if (!value_load(v) || !value_load(yes) || !value_load(no)) {
		value_refuse(v, !v->kind ? v->why :
				!yes->kind ? yes->why : no->why);
		return;
	}
	made = *from;
	if (!value_is_pointer(from)) {
		made.number = common_type(yes->number, no->number);
		number_convert(yes, made.number);
		number_convert(no, made.number);
		made.has_type = made.points = false;
	} else if (made.has_type) {
		/* a text, if it leads to characters */
		made.number = 0;
	}
	number_convert(v, TAFFRAIL_T_BOOL);
	made.n = v->n;
	memcpy(made.code, v->code, v->n);
	made.cut |= v->cut | yes->cut;
	made.follows |= v->follows;
	jump = jump_put(&made, AX_IF_GOTO);
	code_append(&made, no);
	*v = made;
	made.n = jump_put(v, AX_GOTO);
	jump_here(v, jump);
	code_append(v, yes);
	jump_here(v, made.n);
}

/* Makes the result of an operator. */
static void operation_apply(struct value *a, struct value *b,
			   const struct operation *op)
{
	bool compares = op->level == LEVEL_EQUAL || op->level == LEVEL_LESS;
	uint8_t type, work, code;

	if (op->level <= LEVEL_AND) {
		logic_apply(a, b, op->level == LEVEL_OR);
		return;
	}
	if (*op->text == '-' && is_address(a) && is_address(b)) {
		difference_make(a, b);
		return;
	}
	if (is_address(a) && !is_address(b) && op->level == LEVEL_SUM) {
		element_of(a, b, *op->text == '-');
		a->kind = a->kind ? VALUE_NUMBER : VALUE_NONE;
		a->points = true;
		return;
	}
	if (!value_load(a) || !value_load(b)) {
		value_refuse(a, a->kind ? b->why : a->why);
		return;
	}
	/* a shift does not change the type */
	type = common_type(a->number, op->level == LEVEL_SHIFT ? a->number :
								 b->number);
	work = scalar_sort(type) == SCALAR_REAL ? TAFFRAIL_T_F64 : type;
	code = work == TAFFRAIL_T_F64 ? op->of_double :
	       scalar_sort(type) == SCALAR_SIGNED ? op->of_signed :
						    op->of_unsigned;
	if (!code || (!compares &&
		      (value_is_pointer(a) || value_is_pointer(b)))) {
		value_refuse(a, "has an operator that its type has not");
		return;
	}
	number_convert(a, work);
	if (op->level != LEVEL_SHIFT)
		number_convert(b, work);
	if (compares) {
		comparison_add(a, b, op->text, code);
		return;
	}
	code_append(a, b);
	code_op(a, (enum ax_opcode)code);
	/* the result may have more bits */
	a->number = work == TAFFRAIL_T_F64 ? work : TAFFRAIL_T_U64;
	number_convert(a, type);
	a->follows |= *op->text == '/' || *op->text == '%';
}

/* Takes the members and elements behind a variable's name. Returns the rest;
 * NULL: the text makes no sense. */
static const char *parts_take(struct value *v, const char *p,
			      const struct value_scope *scope)
{
	char name[NAME_BYTES], *end;
	struct value index;
	long number;
	bool arrow;

	for (;;) {
		p = blanks_skip(p);
		arrow = p[0] == '-' && p[1] == '>';
		if (*p == '[') {
			number = strtol(p + 1, &end, 0);
			end = (char *)blanks_skip(end);
			if (*end == ']' && end > p + 1) {
				class_element(v, number);
				p = end + 1;
				continue;
			}
			p = sum_take(&index, p + 1, LEVEL_CHOICE, scope);
			if (!p || *p != ']')
				return NULL;
			element_of(v, &index, false);
			p++;
		} else if (arrow || *p == '.') {
			p = name_take(name, blanks_skip(p + 1 + arrow), false);
			if (!p)
				return NULL;
			arrow = arrow && !value_smart(v);
			if (!class_variant(v, name))
				value_member_take(v, name, arrow);
		} else {
			return p;
		}
	}
}

/* Whether the expression is more than a name: a name alone may be that of a
 * value in a condition. */
static bool is_computed;

/* Takes the value of an enumerator that a scope, or the unit, declares, if
 * there is one. */
static void enumerator_take(struct value *v, const char *name,
			    const struct value_scope *scope)
{
	Dwarf_Die kind, child;
	Dwarf_Attribute attr;
	const char *own;
	int64_t number;

	for (int i = 0; i < scope->n; i++)
		for (int more = dw.child(&scope->scopes[i], &kind); !more;
		     more = dw.siblingof(&kind, &kind)) {
			if (dw.tag(&kind) != DW_TAG_enumeration_type ||
			    dw.child(&kind, &child))
				continue;
			do {
				own = dw.diename(&child);
				if (!own || strcmp(own, name) ||
				    !dw.attr(&child, DW_AT_const_value,
					     &attr) ||
				    !value_constant(&attr, &number))
					continue;
				v->kind = VALUE_NUMBER;
				v->number = number == (int32_t)number ?
						    TAFFRAIL_T_S32 :
						    TAFFRAIL_T_S64;
				code_const(v, number);
				return;
			} while (!dw.siblingof(&child, &child));
		}
}

/* Takes the value of a name; where another operand is computed with it, also an
 * enumerator. */
static void named_take(struct value *v, const char *name,
		       const struct value_scope *scope)
{
	value_variable_take(v, name, scope);
	if (!v->kind && is_computed && v->why &&
	    !strcmp(v->why, VALUE_UNKNOWN))
		enumerator_take(v, name, scope);
}

/* A type that a cast names: of "struct client *", the name is "client". */
struct cast {
	char name[NAME_BYTES];		/* words with a blank between them */
	int tag;			/* of "struct" and the like; else 0 */
	bool pointer;			/* there is a star */
	uint8_t number;			/* of words for a number of C; else 0 */
};

/* Takes "(TYPE *)" or "(TYPE)" before an operand. Returns the rest; NULL: it
 * is no cast. */
static const char *cast_take(struct cast *cast, const char *p)
{
	static const struct {
		const char *word;
		int tag;
		uint8_t number;		/* a word of C's numbers */
	} rows[] = {
		{ "const", 0, 0 }, { "volatile", 0, 0 },
		{ "struct", DW_TAG_structure_type, 0 },
		{ "class", DW_TAG_class_type, 0 },
		{ "union", DW_TAG_union_type, 0 },
		{ "enum", DW_TAG_enumeration_type, 0 },
		{ "unsigned", 0, TAFFRAIL_T_U32 }, { "signed", 0, TAFFRAIL_T_S32 },
		{ "int", 0, TAFFRAIL_T_S32 }, { "long", 0, TAFFRAIL_T_S64 },
		{ "char", 0, TAFFRAIL_T_S8 }, { "short", 0, TAFFRAIL_T_S16 },
		{ "float", 0, TAFFRAIL_T_F32 }, { "double", 0, TAFFRAIL_T_F64 },
		{ "bool", 0, TAFFRAIL_T_BOOL }, { "_Bool", 0, TAFFRAIL_T_BOOL },
	};
	char word[NAME_BYTES];
	size_t i, used = 0;
	bool plain = true, whole = false;	/* without a sign */

	*cast = (struct cast){ .tag = 0 };
	for (p = blanks_skip(p + 1); isalpha((unsigned char)*p) || *p == '_';
	     p = blanks_skip(p)) {
		p = name_take(word, p, true);
		if (!p)
			return NULL;
		for (i = 0; i < ARRAY_SIZE(rows) &&
			    strcmp(word, rows[i].word) != 0; i++)
			;
		plain &= i < ARRAY_SIZE(rows) && !rows[i].tag;
		if (i < ARRAY_SIZE(rows) && !rows[i].number) {
			cast->tag = rows[i].tag ? rows[i].tag : cast->tag;
			continue;
		}
		whole |= !strcmp(word, "unsigned");
		if (plain && (!cast->number ||
			      scalar_bytes(rows[i].number) != 4))
			cast->number = rows[i].number;
		if (used + strlen(word) + 2 < sizeof(cast->name))
			used += (size_t)snprintf(cast->name + used,
						 sizeof(cast->name) - used,
						 "%s%s", used ? " " : "", word);
	}
	cast->pointer = *p == '*';
	p = blanks_skip(p + cast->pointer);
	if (*p != ')' || !used)
		return NULL;
	if (!plain || cast->pointer)
		cast->number = 0;
	else if (whole)
		cast->number = scalar_of_sort(SCALAR_UNSIGNED,
					      scalar_bytes(cast->number));
	p = blanks_skip(p + 1);
	return isalnum((unsigned char)*p) || (*p && strchr("_(*&-~!", *p)) ?
		       p : NULL;
}

/* Makes a number, or an address, of another type. */
static void value_cast(struct value *v, const struct cast *cast,
		       const struct value_scope *scope)
{
	bool pointer = cast->pointer;
	uint8_t number = cast->number;
	Dwarf_Die type;

	if (v->kind && !number) {
		if (!value_type_known(&type, cast->name, cast->tag, scope)) {
			value_refuse(v, "is cast to a type that is not known "
					"there");
			return;
		}
		pointer |= dw.tag(&type) == DW_TAG_pointer_type;
		number = pointer ? 0 : value_number_type(&type, &v->why);
		if (!pointer && !number)
			value_refuse(v, v->why);
	}
	if (!v->kind || !value_load(v))
		return;
	if (number)
		number_convert(v, number);
	else if (scalar_bytes(v->number) != 8 || v->number == TAFFRAIL_T_F64)
		value_refuse(v, "is no address");
	if (cast->number)
		return;
	v->number = 0;
	v->type = type;
	v->has_type = true;
	v->points = cast->pointer;
}

/* Makes the value with an operator before it. */
static void unary_apply(struct value *v, char sign)
{
	struct value left = { .kind = VALUE_NUMBER, .number = TAFFRAIL_T_S32,
			      .base = -1 };

	if (!v->kind)
		return;
	if (sign == '*') {
		if (value_smart(v))
			return;
		if (value_is_pointer(v))
			value_follow(v);
		else
			class_element(v, 0);
		return;
	}
	if (sign == '&') {
		if (v->kind != VALUE_MEMORY || v->bits) {
			value_refuse(v, "is not in memory");
			return;
		}
		code_address(v);
		v->kind = VALUE_NUMBER;
		/* of a character, too, it is no text */
		v->number = TAFFRAIL_T_PTR;
		v->points = v->has_type;
		return;
	}
	if (sign == '!') {
		operation_apply(v, &(struct value){ .kind = VALUE_NUMBER,
						    .number = TAFFRAIL_T_S32,
						    .base = -1, .n = 2,
						    .code = { AX_CONST8, 0 } },
				operation_find("=="));
		return;
	}
	/* 0 - n, and -1 ^ n */
	code_const(&left, sign == '-' ? 0 : -1);
	operation_apply(&left, v, operation_find(sign == '-' ? "-" : "^"));
	*v = left;
}

/* Takes an operand. Returns the rest; NULL: the text makes no sense. */
static const char *unary_take(struct value *v, const char *p,
			      const struct value_scope *scope)
{
	struct value named = { .base = -1 };
	char name[NAME_BYTES];
	struct cast cast;
	const char *next;

	p = blanks_skip(p);
	if (*p && strchr("*&-~!", *p)) {
		next = unary_take(v, p + 1, scope);
		unary_apply(v, *p);
		return next;
	}
	next = *p == '(' ? cast_take(&cast, p) : NULL;
	/* "(n) * 2" or "(type) *p" */
	if (next && !cast.pointer && !cast.number && strchr("*&-~", *next)) {
		value_variable_take(&named, cast.name, scope);
		if (named.why != VALUE_UNKNOWN)
			next = NULL;
	}
	if (next) {
		next = unary_take(v, next, scope);
		value_cast(v, &cast, scope);
		return next;
	}
	if (isdigit((unsigned char)*p)) {
		char *end, *real;
		double d = strtod(p, &real);
		uint64_t number = (errno = 0, strtoull(p, &end, 0));
		uint32_t bytes =
			number >> 32 || (number >> 31 && *p != '0') ? 8 : 4;

		v->kind = VALUE_NUMBER;
		if (real > end && p + strcspn(p, ".eEpP") < real) {
			memcpy(&number, &d, sizeof(number));
			end = real;
			v->number = TAFFRAIL_T_F64;
		} else if (errno || real > end) {
			value_refuse(v, errno ? "has a number beyond 64 bits" :
				     "has an octal number with an 8 or 9");
			return real;
		} else {
			v->number = scalar_of_sort(number >> (bytes * 8 - 1) ?
							   SCALAR_UNSIGNED :
							   SCALAR_SIGNED,
						   bytes);
			for (; *end && strchr("uUlL", *end); end++)
				v->number = scalar_of_sort(
					tolower(*end) == 'u' ? SCALAR_UNSIGNED :
						scalar_sort(v->number),
					tolower(*end) == 'l' ? 8 :
						scalar_bytes(v->number));
		}
		code_const(v, (int64_t)number);
		return end;
	}
	if (*p == '(') {
		p = sum_take(v, p + 1, LEVEL_CHOICE, scope);
		return p && *p == ')' ? parts_take(v, p + 1, scope) : NULL;
	}
	p = *p == ':' || isalpha((unsigned char)*p) || *p == '_' ?
		    name_take(name, p, true) : NULL;
	if (!p)
		return NULL;
	named_take(v, name, scope);
	return parts_take(v, p, scope);
}

/* Takes operands, and the operators between them from a level on. Returns the
 * text behind them, which begins with no blank; NULL: it makes no sense. */
static const char *sum_take(struct value *v, const char *p, int level,
			    const struct value_scope *scope)
{
	const struct operation *op;
	struct value right, no;

	*v = (struct value){ .base = -1 };
	p = unary_take(v, p, scope);
	while (p && (op = operation_find(p = blanks_skip(p))) &&
	       op->level >= level) {
		p = sum_take(&right, p + strlen(op->text), op->level + 1,
			     scope);
		if (p)
			operation_apply(v, &right, op);
	}
	if (!p || *p != '?' || level > LEVEL_CHOICE)
		return p;
	p = sum_take(&right, p + 1, LEVEL_CHOICE, scope);
	if (!p || *p != ':')
		return NULL;
	p = sum_take(&no, p + 1, LEVEL_CHOICE, scope);
	if (p)
		choice_apply(v, &right, &no);
	return p;
}

void value_parse(struct value *v, const char *expression,
		 const struct value_scope *scope)
{
	char name[NAME_BYTES];
	const char *p = name_take(name, expression, false);

	is_computed = !p || *p;
	p = sum_take(v, expression, LEVEL_CHOICE, scope);
	if (strchr(expression, '"') && (!p || *p))
		value_refuse(v, "has a text: only conditions compare texts");
	else if (!p || *p)
		value_refuse(v, strchr(expression, '(') ?
				"is no expression that is known here: a rule "
				"calls no functions" :
				"is no expression that is known here");
}
