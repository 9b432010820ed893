/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tokens of C and C++ in the text of a marker; see token-private.h.
 */
#include "tracepoints/fields/token-private.h"

#define TEMPLATE_BYTES	256	/* of template arguments; bounds the work */
#define DELIMITER_MAX	16	/* characters; the rule of C++ */

bool span_is(struct span s, const char *word)
{
	for (; s.p < s.end && *word && *s.p == *word; s.p++, word++)
		;
	return s.p == s.end && !*word;
}

/* Returns the end of the literal that begins at p with a quotation mark. */
static const char *skip_literal(const char *p, const char *end)
{
	char quote = *p++;

	while (p < end && *p != quote)
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return p < end ? p + 1 : end;
}

/*
 * Returns the end of a raw string, whose quotation mark is at p:
 * "DELIMITER(...)DELIMITER". Only that parenthesis, delimiter and quotation
 * mark end it.
 */
static const char *skip_raw(const char *p, const char *end)
{
	struct span delimiter = { p + 1, p + 1 };

	while (delimiter.end < end && *delimiter.end != '(')
		delimiter.end++;
	if (length_of(delimiter) > DELIMITER_MAX)
		return skip_literal(p, end);
	for (p = delimiter.end; p < end; p++) {
		const char *a = delimiter.p, *b = p + 1;

		while (*p == ')' && a < delimiter.end && b < end && *a == *b) {
			a++;
			b++;
		}
		if (*p == ')' && a == delimiter.end && b < end && *b == '"')
			return b + 1;
	}
	return end;
}

/* Returns the end of a word or number; 1'000 is a number. A prefix with R takes
 * the raw string along. */
static const char *skip_word(const char *p, const char *end)
{
	const char *begin = p;
	bool number = is_digit(*p);

	while (p < end && (is_letter(*p) || is_digit(*p) ||
			   (number && (*p == '.' || *p == '\''))))
		p++;
	if (p < end && *p == '"' && p[-1] == 'R' && p - begin <= 3)
		return skip_raw(p, end);
	return p;
}

/* Returns the end of the brackets that begin at p; all kinds of them nest. */
static const char *skip_group(const char *p, const char *end)
{
	int depth = 0;

	while (p < end) {
		char c = *p;

		if (c == '"' || c == '\'') {
			p = skip_literal(p, end);
			continue;
		}
		if (is_letter(c) || is_digit(c)) {
			p = skip_word(p, end);
			continue;
		}
		p++;
		if (c == '(' || c == '[' || c == '{')
			depth++;
		else if ((c == ')' || c == ']' || c == '}') && --depth <= 0)
			break;
	}
	return p;
}

enum token_type next_token(struct span *s, struct span *token)
{
	enum token_type type;
	char c;

	while (s->p < s->end && is_space(*s->p))
		s->p++;
	token->p = s->p;
	token->end = s->p;
	if (s->p == s->end)
		return TOKEN_END;
	c = *s->p;
	if (c == '"' || c == '\'') {
		type = TOKEN_LITERAL;
		s->p = skip_literal(s->p, s->end);
	} else if (is_letter(c) || is_digit(c)) {
		s->p = skip_word(s->p, s->end);
		type = is_digit(c) ? TOKEN_NUMBER :
		       s->p[-1] == '"' ? TOKEN_LITERAL : TOKEN_WORD;
	} else if (c == '(' || c == '[' || c == '{') {
		type = TOKEN_GROUP;
		s->p = skip_group(s->p, s->end);
	} else {
		type = TOKEN_OTHER;
		s->p++;
	}
	token->end = s->p;
	return type;
}

const char *skip_template(const char *p, const char *end)
{
	struct span s = { p, end - p > TEMPLATE_BYTES ? p + TEMPLATE_BYTES :
			       end };
	struct span token;
	enum token_type type;
	int depth = 0;

	while ((type = next_token(&s, &token)) != TOKEN_END) {
		if (type != TOKEN_OTHER)
			continue;
		if (*token.p == '<')
			depth++;
		else if (*token.p == '>' && token.p[-1] != '-' && !--depth)
			break;
	}
	if (type == TOKEN_END)
		return p;
	while (s.p < s.end && is_space(*s.p))
		s.p++;
	if (s.p < s.end && (*s.p == '(' || *s.p == ':' || *s.p == '{'))
		return s.p;
	return p;
}
