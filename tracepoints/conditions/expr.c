/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions as text: the parser. See expr.h.
 *
 * Invariant: code is emitted while the text is read, in one pass. The depth of
 * recursion has a bound, and so has the stack.
 */
#include "tracepoints/conditions/expr-private.h"

#include <errno.h>

#include "base/base.h"
#include "base/text.h"
#include "include/taffrail/site.h"
#include "tracepoints/conditions/ax.h"
#include "tracepoints/fields/errors.h"
#include "tracepoints/fields/scalar.h"

/* How closely binary operators bind; 0 for other operators. */
static const uint8_t precedence[] = {
	[OP_OR] = 1,
	[OP_AND] = 2,
	[OP_BIT_OR] = 3,
	[OP_BIT_XOR] = 4,
	[OP_BIT_AND] = 5,
	[OP_EQUAL] = 6, [OP_NOT_EQUAL] = 6, [OP_GLOB] = 6, [OP_NOT_GLOB] = 6,
	[OP_LESS] = 7, [OP_LESS_EQUAL] = 7,
	[OP_GREATER] = 7, [OP_GREATER_EQUAL] = 7,
	[OP_LEFT] = 8, [OP_RIGHT] = 8,
	[OP_PLUS] = 9, [OP_MINUS] = 9,
	[OP_TIMES] = 10, [OP_DIVIDE] = 10, [OP_REMAINDER] = 10,
	[OP_CLOSE] = 0,
};

static void parse_binary(struct compiler *c, uint32_t least, struct operand *a);

/* Fails because no field has the token's name, says which levels there are if
 * the name may be meant as one, and lists the fields, and the enumerators of
 * the last one, if they fit. */
static void fail_unknown(struct compiler *c)
{
	const char *before = " has ";
	struct shown_field field;
	struct shown_name name;
	struct text text;
	char more[100];
	size_t fields = 0;

	text_open(&text, more, sizeof(more));
	if (c->field == EXPR_FIELD_LEVEL) {
		text_add(&text, "; levels go from emerg to debug");
		fields = text.used;
	}
	for (uint32_t i = 0; i < c->fields->n; i++) {
		text_add(&text, i ? ", " : "; there are ");
		text_add(&text, c->fields->names[i].name);
	}
	if (!text.cut)
		fields = text.used;
	if (!text.cut && shown_find(&field, &c->fields->shown, c->field) &&
	    field.count) {
		text_add(&text, "; ");
		text_add(&text, c->fields->names[c->field].name);
		for (; shown_next(&field, &name); before = ", ") {
			text_add(&text, before);
			text_add_bytes(&text, name.start,
				       (size_t)(name.end - name.start));
		}
	}
	if (text.cut)
		more[fields] = 0;
	expr_fail_name(c, -ENOENT, &c->token, "no field", more);
}

void expr_error_whose(struct expr_error *error, const char *id)
{
	static const char all[] = "; there are ";
	static const char value[] = "no field \"value\"";
	static const char whole[] = "; --functions tests results with "
				    "arguments";
	char fact[sizeof(error->fact)];
	const char *at = error->fact, *rest = NULL;
	struct text text;

	for (; *at && !rest; at += !rest)
		rest = text_after(at, all);
	if (!rest)
		return;
	text_open(&text, fact, sizeof(fact));
	text_add_bytes(&text, error->fact, (size_t)(at - error->fact));
	text_add(&text, "; ");
	text_add(&text, id);
	text_add(&text, " has ");
	text_add(&text, rest);
	if (text_after(id, "fn/") && text_after(error->fact, value) &&
	    text.used + sizeof(whole) < text.size)
		text_add(&text, whole);
	/* a part of the names would be taken for all */
	if (text.cut)
		error->fact[at - error->fact] = 0;
	else
		text_copy(error->fact, sizeof(error->fact), fact);
}

/* Returns true when the token is this word. */
static bool token_is(const struct token *token, const char *word)
{
	const char *p = token->start;

	for (; p < token->end && *p == *word; p++, word++)
		;
	return p == token->end && !*word;
}

/* Sets the kind of an operand of that type. Returns the opcode that loads it;
 * 0: none does. */
static uint8_t use_type(struct operand *a, uint8_t type)
{
	if (type == TAFFRAIL_T_STRING) {
		a->kind = OPERAND_STRING;
		return AX_FIELD_EQUAL;
	}
	switch (scalar_sort(type)) {
	case SCALAR_NONE:
		return 0;
	case SCALAR_REAL:
		a->kind = OPERAND_DOUBLE;
		return AX_FIELD_DOUBLE;
	case SCALAR_SIGNED:
		break;
	default:
		if (scalar_bytes(type) == sizeof(uint64_t))
			a->kind = OPERAND_UNSIGNED;
		else
			a->positive = 1;
	}
	return AX_FIELD;
}

/* Notes that a field is used, which may be one that could not be read. */
static void note_field(struct compiler *c, uint8_t field, struct operand *a)
{
	const uint8_t *numbers = c->fields->numbers;
	uint8_t bit = numbers ? numbers[field] : field;

	a->field = field;
	c->field = field;
	if (c->unread && bit < (numbers ? numbers[c->unread] : c->unread))
		a->unread |= (uint16_t)(1u << bit);
}

/* Uses a field as an operand, and emits its load. Fails for an array and a
 * union, which are only used by part. */
static void use_field(struct compiler *c, uint8_t field, struct operand *a)
{
	uint8_t opcode = use_type(a, c->fields->types[field]);
	struct shown_field shown;

	if (shown_says(&c->fields->shown, field, TAFFRAIL_HOW_CHARS))
		opcode = use_type(a, TAFFRAIL_T_STRING);
	note_field(c, field, a);
	if (!shown_find(&shown, &c->fields->shown, field))
		shown.how = 0;
	if (*unit_word(shown.how))
		a->unit = shown.how;
	a->named = shown.how == TAFFRAIL_HOW_ENUM ||
		   shown.how == TAFFRAIL_HOW_RANGES;
	if (!opcode)
		expr_fail_name(c, -ESRCH, &c->token, "the field",
			       shown.how == TAFFRAIL_HOW_VARIANT ?
				       " is one of several: name an option" :
				       " is an array: name an element, as "
				       "in v[0]");
	else if (opcode != AX_FIELD_EQUAL)
		expr_emit_field(c, opcode, field);
}

/* Uses a part of a field, of that type, as an operand. Of an array that was
 * cut, the elements that are there are known. */
static void use_part(struct compiler *c, struct part *part, uint8_t type,
		     struct operand *a)
{
	note_field(c, part->field, a);
	if (part->type) {
		a->cut = part->unread = a->unread;
		a->unread = 0;
	}
	use_type(a, type);
	expr_emit_part(c, part, type);
}

/* Uses the element that the rest of the token numbers, "[2]" or ".2". Returns
 * whether it is one. */
static bool use_element(struct compiler *c, uint8_t field, const char *p,
			struct operand *a)
{
	uint8_t type = c->fields->types[field];
	struct part part = { field, type & TAFFRAIL_T_SCALAR_MASK, 0, 0 };
	bool closed = c->token.end[-1] == ']';
	const char *end = c->token.end - closed;
	uint32_t number = 0;

	/* characters are a string, as in a trace */
	if (closed != (*p == '[') ||
	    !(type & (TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_ARRAY)) ||
	    shown_says(&c->fields->shown, field, TAFFRAIL_HOW_CHARS) ||
	    !scalar_bytes(type) || ++p >= end)
		return false;
	for (; p < end; p++) {
		if (*p < '0' || *p > '9')
			return false;
		number = number * 10 + (uint32_t)(*p - '0');
		if (number > UINT16_MAX)
			return false;
	}
	part.number = (uint16_t)number;
	type = part.type;
	if (shown_says(&c->fields->shown, field, TAFFRAIL_HOW_BIG_ENDIAN) &&
	    scalar_sort(type) != SCALAR_REAL)
		part.type |= AX_PART_BIG_ENDIAN;
	use_part(c, &part, type, a);
	return true;
}

/* Uses the token as U.OPTION, where U.value is a field of several types.
 * Returns whether it is that. */
static bool use_option(struct compiler *c, uint8_t field, struct operand *a)
{
	const char *name = c->fields->names[field].name;
	const char *p = c->token.start, *end = c->token.end;
	struct part part = { field, 0, 0, 0 };
	struct shown_field shown;
	struct shown_name option;

	if (!field || !shown_find(&shown, &c->fields->shown, field) ||
	    shown.how != TAFFRAIL_HOW_VARIANT)
		return false;
	for (; p < end && *p == *name; p++, name++)
		;
	if (p == c->token.start || p[-1] != '.' || !text_equal(name, "value"))
		return false;
	for (; shown_next(&shown, &option); part.number++) {
		if (option.end - option.start != end - p ||
		    __builtin_memcmp(option.start, p, (size_t)(end - p)) ||
		    !option.value)
			continue;
		use_part(c, &part, (uint8_t)option.value, a);
		return true;
	}
	return false;
}

/* Returns where the token goes on behind a field's name, or NULL: it does not
 * begin with that. v[1].x is v.1.x. */
static const char *behind_name(const struct token *token, const char *name)
{
	const char *p = token->start;
	bool open = false;

	for (; *name && p < token->end; name++) {
		if (open && *p == ']' && *name == '.') {
			open = false;
			p++;
		}
		if (*p != *name && (*p != '[' || *name != '.'))
			return NULL;
		open |= *p++ == '[';
	}
	p += open && *p == ']';
	return *name || (p < token->end && *p != '.' && *p != '[') ? NULL : p;
}

/* Uses a constant as an operand. */
static void use_number(struct compiler *c, struct operand *a, uint64_t value,
		       int is_unsigned)
{
	a->kind = is_unsigned ? OPERAND_UNSIGNED : OPERAND_SIGNED;
	a->literal = 1;
	a->value = value;
	a->positive = !(value >> 63);
	expr_emit_number(c, value, !is_unsigned);
}

/* Returns whether the token is this name, or the part of it behind a colon. */
static bool is_name(const struct token *token, const struct shown_name *name)
{
	size_t n = (size_t)(token->end - token->start);
	size_t all = (size_t)(name->end - name->start);

	return n <= all && (n == all || name->end[-(ptrdiff_t)n - 1] == ':') &&
	       !__builtin_memcmp(name->end - n, token->start, n);
}

/* Uses a name of a field's values as an operand: one value, or those from one
 * to another. */
static void use_values(struct compiler *c, struct operand *a,
		       struct shown_field *rest, const struct shown_name *name,
		       int is_unsigned)
{
	struct shown_name other;

	while (rest->how == TAFFRAIL_HOW_RANGES && shown_next(rest, &other))
		if (is_name(&c->token, &other))
			expr_fail_name(c, -ESRCH, &c->token, "the name",
				       " stands for several ranges: compare "
				       "with numbers");
	if (name->value == name->to) {
		use_number(c, a, (uint64_t)name->value, is_unsigned);
		return;
	}
	a->kind = OPERAND_RANGE;
	a->value = (uint64_t)name->value;
	a->to = (uint64_t)name->to;
}

/* Uses the token as an enumerator or as an error's name: of the last field, of
 * those behind it, of those before it. Returns whether it is one. */
static bool use_enumerator(struct compiler *c, struct operand *a)
{
	struct shown_field field;
	struct shown_name name;
	uint32_t number;
	uint32_t error = error_number(c->token.start, (size_t)(c->token.end -
							c->token.start));

	for (uint32_t i = 0; i < c->fields->n; i++) {
		number = (c->field + i) % c->fields->n;
		if (!shown_find(&field, &c->fields->shown, number))
			continue;
		if (field.how == TAFFRAIL_HOW_ERRNO && error) {
			use_number(c, a, error, 0);
			return true;
		}
		while (shown_next(&field, &name)) {
			if (!is_name(&c->token, &name))
				continue;
			use_values(c, a, &field, &name,
				   c->fields->types[number] == TAFFRAIL_T_U64);
			return true;
		}
	}
	return false;
}

/* Takes the "$" or "$ctx." from the token. Returns whether there was one. */
static bool take_sign(struct token *token)
{
	static const char sign[] = "$ctx.";
	size_t n = sizeof(sign) - 1;

	if (*token->start != '$')
		return false;
	if (token->end - token->start <= (ptrdiff_t)n ||
	    __builtin_memcmp(token->start, sign, n))
		n = 1;
	token->start += n;
	return true;
}

/* Names that are no fields: first those of numbers that an opcode loads. */
static const struct {
	const char *word;
	uint8_t opcode;
} facts[] = {
	{ "vtid", AX_VTID }, { "vpid", AX_VPID }, { "cpu", AX_CPU },
	{ "cpu_id", AX_CPU }, { "pthread_id", AX_PTHREAD },
	{ "ip", AX_IP },
	{ "procname", 0 }, { "level", 0 }, { "id", 0 },
};

/* Returns whether the token names one of these. */
static bool is_fact(const struct token *token)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(facts) && !token_is(token, facts[i].word))
		i++;
	return i < ARRAY_SIZE(facts);
}

/* Uses the token as a context, the level or the id, which has a sign. Returns
 * whether it is one. */
static bool use_fact(struct compiler *c, struct operand *a, int sign)
{
	int level;

	a->positive = 1;
	for (size_t i = 0; i < ARRAY_SIZE(facts) && facts[i].opcode; i++) {
		if (!token_is(&c->token, facts[i].word))
			continue;
		expr_emit(c, facts[i].opcode);
		return true;
	}
	if (token_is(&c->token, "procname")) {
		a->kind = OPERAND_PROCNAME;
	} else if (token_is(&c->token, "level")) {
		level = shown_level(&c->fields->shown);
		c->field = EXPR_FIELD_LEVEL;
		use_number(c, a, (uint64_t)(level < 0 ? LEVEL_DEFAULT : level),
			   0);
	} else if (sign && token_is(&c->token, "id")) {
		a->kind = OPERAND_ID;
	} else {
		return false;
	}
	return true;
}

/* Parses a name: a field, a part of one, a context, the level, or an
 * enumerator. Fields come first, so a context never hides one; with a sign,
 * contexts do. */
static void parse_name(struct compiler *c, struct operand *a)
{
	bool sign = take_sign(&c->token);
	const char *rest;
	int level;

	if (sign && !is_fact(&c->token))
		expr_fail_name(c, -EINVAL, &c->token, "no context", "");
	if (!c->fields || c->ret) {
		a->kind = OPERAND_ANY;
		return;
	}
	if (sign && !c->fields->recorded) {
		use_fact(c, a, sign);
		return;
	}
	for (uint32_t i = 0; i < c->fields->n; i++) {
		rest = behind_name(&c->token, c->fields->names[i].name);
		if (rest == c->token.end) {
			use_field(c, (uint8_t)i, a);
			return;
		}
		if ((rest && use_element(c, (uint8_t)i, rest, a)) ||
		    use_option(c, (uint8_t)i, a))
			return;
	}
	if (use_fact(c, a, sign))
		return;
	/* behind `level`, the name of a level */
	level = c->field == EXPR_FIELD_LEVEL ? 0 : LEVEL_MAX + 1;
	while (level <= LEVEL_MAX && !token_is(&c->token, level_word(level)))
		level++;
	if (level <= LEVEL_MAX)
		use_number(c, a, (uint64_t)level, 0);
	else if (!use_enumerator(c, a))
		fail_unknown(c);
}

/* Parses a name, a constant, a text, or an expression in parentheses. */
static void parse_primary(struct compiler *c, struct operand *a)
{
	struct token *token = &c->token;
	const char *open;

	switch (token->kind) {
	case TOKEN_NAME:
		parse_name(c, a);
		break;
	case TOKEN_INTEGER:
		use_number(c, a, token->value, token->is_unsigned);
		break;
	case TOKEN_DOUBLE:
		a->kind = OPERAND_DOUBLE;
		a->literal = 1;
		a->value = token->value;
		expr_emit_number(c, a->value, 0);
		break;
	case TOKEN_DURATION:
		a->kind = OPERAND_DURATION;
		a->unit = token->unit;
		a->start = token->start;
		a->end = token->end;
		expr_emit_duration(c);
		break;
	case TOKEN_TEXT:
		a->kind = OPERAND_TEXT;
		a->start = token->start;
		a->end = token->end;
		break;
	default:
		if (token->op != OP_OPEN) {
			expr_fail(c, -EINVAL, token->start,
				  "a value is missing here");
			break;
		}
		open = token->start;
		expr_next(c);
		parse_binary(c, 1, a);
		if (token->op != OP_CLOSE)
			expr_fail(c, -EINVAL, open, "its ) is missing");
		a->comparison = 0;
	}
	expr_next(c);
}

/* Parses a primary behind any number of unary operators. */
static void parse_unary(struct compiler *c, struct operand *a)
{
	const char *where = c->token.start;
	enum operator op = c->token.op;

	*a = (struct operand){ .code = c->used, .start = where,
			       .parts = c->nparts };
	if (++c->depth > EXPR_DEPTH_MAX)
		expr_fail(c, -EINVAL, where, "this is nested too deeply");
	switch (op) {
	case OP_NOT_GLOB:	/* "!" and "~" without a blank between */
	case OP_MINUS:
	case OP_PLUS:
	case OP_NOT:
	case OP_GLOB:
		expr_next(c);
		parse_unary(c, a);
		if (op == OP_NOT_GLOB) {
			expr_emit_unary(c, OP_GLOB, a, where + 1);
			op = OP_NOT;
		}
		expr_emit_unary(c, op, a, where);
		break;
	default:
		parse_primary(c, a);
	}
	c->depth--;
}

/* Makes the operand the result of a logical operation, of which no value is
 * known. */
static void make_result(struct operand *a, bool logic, uint16_t unread)
{
	*a = (struct operand){ .kind = OPERAND_SIGNED, .positive = 1,
			       .boolean = 1, .code = a->code,
			       .start = a->start, .parts = a->parts,
			       .logic = logic, .unread = unread,
			       .cut = a->cut };
}

/* Makes the operand alone the result, whose code is there. */
static void take_result(struct compiler *c, struct operand *a,
			const struct operand *b)
{
	if (!b->logic)
		expr_emit_boolean(c, b);
	a->cut = b->cut;
	make_result(a, b->logic, b->unread);
}

/* Parses the right side of a && b or a || b. */
static void parse_right(struct compiler *c, enum operator op, struct operand *b)
{
	expr_next(c);
	parse_binary(c, precedence[op] + 1u, b);
	expr_emit_truth(c, b);
}

/* Parses the rest of a && b or a || b; the token is the operator. Where a is
 * known, either that decides, and b may name fields of other markers; or b
 * does. Where b is known, only a is left, but
 * for a || 1: a may divide by zero. */
static void parse_logic(struct compiler *c, struct operand *a)
{
	enum operator op = c->token.op;
	struct operand b;
	size_t decided, end, known;

	expr_emit_truth(c, a);
	if (expr_is_known(a)) {
		const struct expr_fields *fields = c->fields;
		bool decided_by_a = !a->value == (op == OP_AND);

		c->used = a->code;
		if (decided_by_a)
			c->fields = NULL;
		parse_right(c, op, &b);
		c->fields = fields;
		if (decided_by_a)
			expr_emit_known(c, a, op == OP_OR);
		else if (expr_is_known(&b))
			expr_emit_known(c, a, !!b.value);
		else
			take_result(c, a, &b);
		return;
	}
	known = c->used;
	if (a->logic)
		expr_emit(c, AX_DUP);
	if (a->logic && op == OP_OR)
		expr_emit_number(c, 3, 0);
	if (a->logic || op == OP_AND)
		expr_emit(c, op == OP_AND ? AX_LOG_NOT : AX_EQUAL);
	decided = expr_emit_jump(c, AX_IF_GOTO);
	parse_right(c, op, &b);
	if (expr_is_known(&b) && op == OP_AND && !b.value) {
		expr_emit_known(c, a, 0);
		return;
	}
	if (expr_is_known(&b) && !b.value == (op == OP_OR)) {
		c->used = known;
		take_result(c, a, a);
		return;
	}
	if (a->logic) {
		expr_emit_logic(c, &b);
		expr_emit(c, op == OP_AND ? AX_BIT_AND : AX_BIT_OR);
		expr_emit_here(c, decided);
	} else {
		if (!b.logic)
			expr_emit_boolean(c, &b);
		end = expr_emit_jump(c, AX_GOTO);
		expr_emit_here(c, decided);
		expr_emit_number(c, op == OP_AND ? 0 : b.logic ? 3 : 1, 0);
		expr_emit_here(c, end);
	}
	a->cut |= b.cut;
	make_result(a, a->logic | b.logic, a->unread | b.unread);
}

/* Returns true for ==, != and the other comparisons, and for ~ and !~. */
static bool is_comparison(enum operator op)
{
	return op >= OP_EQUAL && op <= OP_GREATER_EQUAL;
}

/* Compares a truth value, which may be unknown and whose code ends there, with
 * a constant. Returns false, and does nothing, unless these are such. */
static bool truth_compare(struct compiler *c, enum operator op,
			  struct operand *a, const struct operand *bit,
			  size_t end)
{
	if (!a->logic || a->comparison || bit->comparison ||
	    !expr_is_known(bit) || bit->value > 1 ||
	    (op != OP_EQUAL && op != OP_NOT_EQUAL))
		return false;
	c->used = end;
	if (bit->value == (op == OP_NOT_EQUAL))
		expr_emit_unary(c, OP_NOT, a, a->start);
	a->comparison = 1;
	return true;
}

/* Parses the rest of a OP b, except && and ||. Fails where C's precedence
 * seldom means what was written. */
static void parse_operation(struct compiler *c, struct operand *a)
{
	const char *where = c->token.start;
	enum operator op = c->token.op;
	struct operand b, truth = *a;
	size_t used = c->used;

	expr_emit_certain(c, a);
	expr_next(c);
	parse_binary(c, precedence[op] + 1u, &b);
	if (truth_compare(c, op, &truth, &b, used)) {
		*a = truth;
		return;
	}
	if (truth_compare(c, op, &b, a, c->used)) {
		expr_emit(c, AX_SWAP);
		expr_emit(c, AX_POP);
		b.code = a->code;
		b.parts = a->parts;
		*a = b;
		return;
	}
	expr_emit_certain(c, &b);
	if ((a->comparison || b.comparison) && is_comparison(op))
		expr_fail(c, -EINVAL, where,
			  "comparisons do not chain: use && or parentheses");
	if ((a->comparison || b.comparison) && op >= OP_BIT_OR &&
	    op <= OP_BIT_AND)
		expr_fail(c, -EINVAL, where,
			  "comparisons bind closer: use parentheses");
	expr_emit_binary(c, op, a, &b, where);
	a->comparison = (uint8_t)is_comparison(op);
}

/* Parses an expression of operators that bind at least so closely. Counts the
 * depth: recursion has a bound. */
static void parse_binary(struct compiler *c, uint32_t least, struct operand *a)
{
	if (++c->depth > EXPR_DEPTH_MAX)
		expr_fail(c, -EINVAL, c->token.start,
			  "this is nested too deeply");
	parse_unary(c, a);
	while (precedence[c->token.op] && precedence[c->token.op] >= least) {
		if (c->token.op == OP_AND || c->token.op == OP_OR)
			parse_logic(c, a);
		else
			parse_operation(c, a);
	}
	c->depth--;
}

/* Compiles the whole text. Returns 0 or the first error. */
static int text_compile(struct compiler *c)
{
	struct operand a;

	c->error->column = 0;
	c->error->fact[0] = 0;
	expr_next(c);
	parse_binary(c, 1, &a);
	if (c->token.op == OP_CLOSE)
		expr_fail(c, -EINVAL, c->token.start, "its ( is missing");
	else if (c->token.kind != TOKEN_END)
		expr_fail(c, -EINVAL, c->token.start,
			  "an operator is missing before this");
	expr_emit_truth(c, &a);
	if (a.logic) {
		/* a run that is not certain divides by zero */
		expr_emit(c, AX_DUP);
		expr_emit_number(c, 1, 0);
		expr_emit(c, AX_EQUAL);
		expr_emit(c, AX_LOG_NOT);
		expr_emit(c, AX_DIV_UNSIGNED);
	}
	expr_emit(c, AX_END);
	return c->ret;
}

/* Returns the field of a line's event that has a bit for each one before it
 * which could not be read, or 0. */
static uint8_t unread_field(const struct expr_fields *fields)
{
	uint32_t last = fields->n - 1;

	if (fields->recorded)
		return fields->id && text_after(fields->id, "line/") &&
				       fields->numbers ? fields->unread : 0;
	return fields->id && text_after(fields->id, "line/") && fields->n > 1 &&
			       fields->types[last] == TAFFRAIL_T_U16 &&
			       text_equal(fields->names[last].name, "unread") &&
			       shown_base(&fields->shown, last) == 16 ?
		       (uint8_t)last : 0;
}

SIGSAFE int expr_compile(const char *text, const struct expr_fields *fields,
			 uint8_t *code, size_t size, struct expr_error *error)
{
	struct compiler c = {
		.text = text,
		.fields = fields,
		.error = error,
		.token.next = text,
		.token.start = text,
		.unread = unread_field(fields),
		.code = code,
		.size = size < AX_CODE_MAX ? size : AX_CODE_MAX,
	};
	int ret = text_compile(&c);

	return ret ? ret : (int)c.used;
}

SIGSAFE int expr_check(const char *text, struct expr_error *error)
{
	struct compiler c = {
		.text = text,
		.error = error,
		.token.next = text,
		.token.start = text,
	};

	return text_compile(&c);
}
