/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: the text's tokens and errors.
 *
 * Invariant: every position lies within the text; a token that was accepted is
 * well-formed, because the literal is read again.
 */
#include "tracepoints/conditions/expr-private.h"

#include <errno.h>

#include "base/base.h"
#include "base/text.h"
#include "include/taffrail/site.h"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Returns the value of a digit in any base up to 16; 16 if it is no digit. */
static uint32_t digit_value(char c)
{
	if (is_digit(c))
		return (uint32_t)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (uint32_t)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (uint32_t)(c - 'A') + 10;
	return 16;
}

/* Sets the error's place, and ends the text for the parser. */
static void fail_begin(struct compiler *c, int ret, const char *where)
{
	c->ret = ret;
	c->error->column = (uint32_t)(where - c->text) + 1;
	c->token.kind = TOKEN_END;
	c->token.op = OP_NONE;
}

void expr_fail(struct compiler *c, int ret, const char *where,
	       const char *fact)
{
	if (c->ret)
		return;
	fail_begin(c, ret, where);
	text_copy(c->error->fact, sizeof(c->error->fact), fact);
}

void expr_fail_name(struct compiler *c, int ret, const struct token *name,
		    const char *fact, const char *more)
{
	struct text text;
	size_t n = (size_t)(name->end - name->start);

	if (c->ret)
		return;
	text_open(&text, c->error->fact, sizeof(c->error->fact));
	text_add(&text, fact);
	text_add(&text, " \"");
	text_add_bytes(&text, name->start, n > 40 ? 40 : n);
	text_add(&text, "\"");
	text_add(&text, more);
	fail_begin(c, ret, name->start);
}

/* Reads digits of an escape, at most `most`. Returns -1 when there are none, or
 * when they do not fit in a byte. */
static int escape_number(const char **p, const char *end, uint32_t base,
			 int most)
{
	uint32_t value = 0;
	int n;

	for (n = 0; n < most && *p < end && digit_value(**p) < base; n++) {
		value = value * base + digit_value(*(*p)++);
		if (value > 255)
			return -1;
	}
	return n ? (int)value : -1;
}

SIGSAFE int expr_character(const char **p, const char *end)
{
	static const char from[] = "abfnrtve\\'\"?";
	static const char to[] = "\a\b\f\n\r\t\v\033\\'\"?";
	char c = *(*p)++;

	if (c != '\\')
		return (unsigned char)c;
	if (*p >= end)
		return -1;
	c = **p;
	if (c >= '0' && c <= '7')
		return escape_number(p, end, 8, 3);
	(*p)++;
	if (c == 'x')
		return escape_number(p, end, 16, INT32_MAX);
	for (int i = 0; from[i]; i++)
		if (c == from[i])
			return (unsigned char)to[i];
	return -1;
}

/* Takes a literal in quotes: start and end are those of the text between. */
static void token_quoted(struct compiler *c, const char *p)
{
	struct token *token = &c->token;
	char quote = *p;
	const char *end = p + 1;
	int n = 0;
	int value = 0;

	while (*end && *end != quote)
		end += *end == '\\' && end[1] ? 2 : 1;
	if (!*end) {
		expr_fail(c, -EINVAL, p, "a quotation mark is missing");
		return;
	}
	token->start = p + 1;
	token->end = end;
	token->next = end + 1;
	for (p = p + 1; p < end; n++) {
		const char *at = p;

		value = expr_character(&p, end);
		if (value < 0 || (quote == '"' && !value)) {
			expr_fail(c, -EINVAL, at,
				  value ? "no such escape" :
					  "a string holds no NUL");
			return;
		}
	}
	token->kind = TOKEN_TEXT;
	if (quote == '"')
		return;
	token->kind = TOKEN_INTEGER;
	token->value = (uint64_t)(int64_t)(char)value;
	if (n != 1)
		expr_fail(c, -EINVAL, token->start - 1,
			  "'...' holds one character");
}

/* Checks the letters after a number: at most one u and two l, in any order; of
 * a float, one l or f. Returns false when they are others. */
static bool suffix_fits(struct token *token, const char *p, int is_double)
{
	int u = 0, l = 0, f = 0;

	for (; p < token->end; p++) {
		u += *p == 'u' || *p == 'U';
		l += *p == 'l' || *p == 'L';
		f += *p == 'f' || *p == 'F';
		if (*p != 'u' && *p != 'U' && *p != 'l' && *p != 'L' &&
		    *p != 'f' && *p != 'F')
			return false;
	}
	token->is_unsigned = u;
	return is_double ? !u && l + f <= 1 : !f && u <= 1 && l <= 2;
}

/* Takes an integer in base 10, 8 or 16 that ends where the token does. A number
 * that does not fit in 63 bits is unsigned. */
static void token_integer(struct compiler *c, const char *p)
{
	struct token *token = &c->token;
	const char *start = p;
	uint32_t base = 10;
	uint64_t value = 0;

	if (*p == '0' && (p[1] == 'x' || p[1] == 'X')) {
		base = 16;
		p += 2;
		start = p;
	} else if (*p == '0') {
		base = 8;
	}
	for (; p < token->end && digit_value(*p) < base; p++) {
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit_value(*p), &value)) {
			expr_fail(c, -EINVAL, token->start,
				  "the number does not fit in 64 bits");
			return;
		}
	}
	token->kind = TOKEN_INTEGER;
	token->value = value;
	if (p == start || !suffix_fits(token, p, 0))
		expr_fail(c, -EINVAL, token->start, "no such number");
	else if (value >> 63)
		token->is_unsigned = 1;
}

/* Returns where the digits of a float end; NULL when no float is at p. */
static const char *float_end(const char *p)
{
	int digits = 0, point = 0, exponent = 0;

	for (; is_digit(*p) || (*p == '.' && !point); p++) {
		digits += *p != '.';
		point |= *p == '.';
	}
	if (!digits)
		return NULL;
	if (*p == 'e' || *p == 'E') {
		p += p[1] == '+' || p[1] == '-' ? 2 : 1;
		if (!is_digit(*p))
			return NULL;
		for (exponent = 1; is_digit(*p); p++)
			;
	}
	return point || exponent ? p : NULL;
}

/* Takes an integer or a float, whose letters all belong to the token; or a
 * decimal number with the word of a unit: 2.5ms, where the token ends before
 * the unit. */
static void token_number(struct compiler *c, const char *p)
{
	struct token *token = &c->token;
	bool hex = *p == '0' && (p[1] == 'x' || p[1] == 'X');
	const char *end = hex ? NULL : float_end(p);
	const char *q = end ? end : p;
	const char *unit;
	int points = 0;
	uint8_t how;

	while (is_letter(*q) || is_digit(*q) || *q == '.')
		q++;
	token->end = q;
	for (q = p; is_digit(*q) || (*q == '.' && !points); q++)
		points += *q == '.';
	for (how = TAFFRAIL_HOW_DURATION_NS; *(unit = unit_word(how)); how++) {
		if (text_after(q, unit) != token->end)
			continue;
		token->kind = TOKEN_DURATION;
		token->unit = how;
		token->next = token->end;
		token->end = q;
		return;
	}
	if (!end) {
		token_integer(c, p);
		return;
	}
	token->kind = TOKEN_DOUBLE;
	if (!suffix_fits(token, end, 1))
		expr_fail(c, -EINVAL, p, "no such number");
	else if (expr_decimal(p, end, 0, &token->value))
		expr_fail(c, -EINVAL, p, "the number does not fit a double");
}

/* Longer operators first: the first that fits is taken. */
static const struct {
	char text[3];
	uint8_t op;
} operators[] = {
	{ "||", OP_OR }, { "&&", OP_AND }, { "==", OP_EQUAL },
	{ "!=", OP_NOT_EQUAL }, { "!~", OP_NOT_GLOB },
	{ "<=", OP_LESS_EQUAL }, { ">=", OP_GREATER_EQUAL },
	{ "<<", OP_LEFT }, { ">>", OP_RIGHT },
	{ "|", OP_BIT_OR }, { "^", OP_BIT_XOR }, { "&", OP_BIT_AND },
	{ "~", OP_GLOB }, { "<", OP_LESS }, { ">", OP_GREATER },
	{ "+", OP_PLUS }, { "-", OP_MINUS }, { "*", OP_TIMES },
	{ "/", OP_DIVIDE }, { "%", OP_REMAINDER }, { "!", OP_NOT },
	{ "(", OP_OPEN }, { ")", OP_CLOSE },
};

SIGSAFE void expr_next(struct compiler *c)
{
	const char *p = c->token.next;
	const char *end = NULL;
	uint32_t i = 0;

	if (c->ret)
		return;
	while (*p == ' ' || (*p >= '\t' && *p <= '\r'))
		p++;
	c->token = (struct token){ .kind = TOKEN_END, .start = p, .end = p };
	if (!*p)
		return;
	if (is_letter(*p) || (*p == '$' && is_letter(p[1]))) {
		/* at.x is a member, v[2] an element */
		do {
			p++;
		} while (is_letter(*p) || is_digit(*p) || *p == '.' ||
			 *p == '[' || *p == ']');
		c->token.kind = TOKEN_NAME;
		c->token.end = p;
	} else if (is_digit(*p) || (*p == '.' && is_digit(p[1]))) {
		token_number(c, p);
	} else if (*p == '"' || *p == '\'') {
		token_quoted(c, p);
	} else {
		for (; i < ARRAY_SIZE(operators) && !end; i++) {
			end = text_after(p, operators[i].text);
			if (!end)
				continue;
			c->token.kind = TOKEN_OPERATOR;
			c->token.op = (enum operator)operators[i].op;
			c->token.end = end;
		}
		if (!end)
			expr_fail(c, -EINVAL, p,
				  text_after(p, "=<") ? "use <= to compare" :
				  text_after(p, "=>") ? "use >= to compare" :
				  *p == '=' ? "use == to compare" :
				  "this has no meaning here");
	}
	if (!c->token.next)
		c->token.next = c->token.end;
}

SIGSAFE bool expr_names(const char *text, const char *name)
{
	struct expr_error error;
	struct compiler c = { .text = text, .error = &error,
			      .token.next = text };

	for (expr_next(&c); c.token.kind != TOKEN_END; expr_next(&c))
		if (c.token.kind == TOKEN_NAME &&
		    text_after(c.token.start, name) == c.token.end)
			return true;
	return false;
}

SIGSAFE bool expr_shared(const char *text)
{
	static const char *const shared[] = {
		"cfa", "vtid", "vpid", "procname",
		"$vtid", "$vpid", "$procname",
	};
	struct expr_error error;
	struct compiler c = { .text = text, .error = &error,
			      .token.next = text };
	uint32_t i = 0, n = ARRAY_SIZE(shared);

	for (expr_next(&c); c.token.kind != TOKEN_END && i < n;
	     expr_next(&c)) {
		if (c.token.kind != TOKEN_NAME)
			continue;
		for (i = 0; i < n; i++)
			if (text_after(c.token.start, shared[i]) == c.token.end)
				break;
	}
	return i < n;
}
