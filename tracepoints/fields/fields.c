/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of a marker's fields, taken from its text; see fields.h.
 *
 * What must stay true, for any text: every position lies within the text, every
 * loop moves forward, the depth of recursion has a bound; the names are unique
 * and are identifiers.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "taffrail/site.h"
#include "tracepoints/fields/fields.h"

#define UNQUOTED_BYTES	256	/* of a name in a literal; the rest is cut */
#define DEPTH_MAX	8	/* of parentheses around a name */
#define TEMPLATE_BYTES	256	/* of template arguments; bounds the work */
#define TAG		"taffrail:"

/* A part of a text: from p up to, not including, end. */
struct span {
	const char *p;
	const char *end;
};

enum token_type {
	TOKEN_END,
	TOKEN_WORD,
	TOKEN_NUMBER,
	TOKEN_LITERAL,		/* string or character */
	TOKEN_GROUP,		/* (...), [...] or {...}, brackets included */
	TOKEN_OTHER,		/* one character */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static size_t length_of(struct span s)
{
	return (size_t)(s.end - s.p);
}

static bool span_is(struct span s, const char *word)
{
	for (; s.p < s.end && *word && *s.p == *word; s.p++, word++)
		;
	return s.p == s.end && !*word;
}

/* Returns the end of the literal that begins at p with its quotation mark. */
static const char *skip_literal(const char *p, const char *end)
{
	char quote = *p++;

	while (p < end && *p != quote)
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return p < end ? p + 1 : end;
}

/* Returns the end of a word or number; 1'000 is a number. */
static const char *skip_word(const char *p, const char *end)
{
	bool number = is_digit(*p);

	while (p < end && (is_letter(*p) || is_digit(*p) ||
			   (number && (*p == '.' || *p == '\''))))
		p++;
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

/* Takes the next token from s. */
static enum token_type next_token(struct span *s, struct span *token)
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
		type = is_digit(c) ? TOKEN_NUMBER : TOKEN_WORD;
		s->p = skip_word(s->p, s->end);
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

/*
 * Returns the end of the template arguments that begin at p with '<'. Returns p
 * when they are none: no '>' closes them, or neither ( nor :: nor { follows it.
 */
static const char *skip_template(const char *p, const char *end)
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

/* Takes the next argument from *s, up to a comma outside all brackets. */
static struct span next_argument(struct span *s, bool templates)
{
	struct span argument = { s->p, s->p };
	enum token_type type, before = TOKEN_END;
	struct span token;

	while ((type = next_token(s, &token)) != TOKEN_END) {
		if (type == TOKEN_OTHER && *token.p == ',')
			return argument;
		if (type == TOKEN_OTHER && *token.p == '<' && templates &&
		    before == TOKEN_WORD) {
			const char *end = skip_template(token.p, s->end);

			if (end > s->p)
				s->p = end;
		}
		argument.end = s->p;
		before = type;
	}
	return argument;
}

static int count_arguments(struct span s, bool templates)
{
	int n = 0;

	while (s.p < s.end) {
		next_argument(&s, templates);
		n++;
	}
	return n;
}

/* Returns whether a word is a keyword, which names no field. */
static bool is_keyword(struct span word)
{
	static const char words[][18] = {
		"sizeof", "alignof", "_Alignof", "typeof", "__typeof__",
		"static_cast", "const_cast", "reinterpret_cast",
		"dynamic_cast", "const", "volatile", "struct", "union",
		"enum", "class", "typename", "unsigned", "signed", "char",
		"short", "int", "long", "float", "double", "bool", "_Bool",
		"void", "auto", "new", "true", "false", "nullptr", "NULL",
		"operator", "template", "__extension__",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (span_is(word, words[i]))
			return true;
	}
	return false;
}

/* Returns 1 for a call of a member that gives the object's own value, behind
 * the object: s.c_str(). */
static bool is_accessor(struct span word, struct span rest, bool behind)
{
	static const char words[][6] = { "c_str", "data", "get" };

	if (!behind || (word.p[-1] != '.' && word.p[-1] != '>') ||
	    rest.end - rest.p < 2 || rest.p[0] != '(' || rest.p[1] != ')')
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (span_is(word, words[i]))
			return true;
	}
	return false;
}

/* Returns the name of an expression: a word in it, or an empty span. */
static struct span expression_name(struct span s, int depth)
{
	struct span name = { s.p, s.p }, group = { s.p, s.p };
	struct span token;
	enum token_type type;
	bool literal = false;

	while ((type = next_token(&s, &token)) != TOKEN_END) {
		if (type == TOKEN_NUMBER || type == TOKEN_LITERAL) {
			literal = true;
		} else if (type == TOKEN_GROUP && *token.p == '(') {
			group = token;
		} else if (type == TOKEN_WORD) {
			if (s.p < s.end && (*s.p == '"' || *s.p == '\''))
				continue;
			if (!span_is(name, "this") &&
			    is_accessor(token, s, length_of(name) ||
						  length_of(group))) {
				s.p += 2;
				continue;
			}
			if (!is_keyword(token))
				name = token;
			if (s.p < s.end && *s.p == '<')
				s.p = skip_template(s.p, s.end);
		}
	}
	if (length_of(name) || literal || length_of(group) < 2 || !depth)
		return name;
	group.p++;
	if (group.end[-1] == ')')
		group.end--;
	return expression_name(group, depth - 1);
}

/* Appends the text of the literal at token to buf. Returns the new length. */
static size_t unquote(struct span token, char *buf, size_t n, size_t size)
{
	const char *p = token.p + 1;

	for (; p < token.end && *p != '"' && n < size; p++) {
		if (*p == '\\' && p + 1 < token.end)
			p++;
		buf[n++] = *p;
	}
	return n;
}

/*
 * Reads the tag that TAFFRAIL_FIELD and similar macros leave when another macro
 * expanded them first: ((void)"taffrail:" "NAME", ...). Returns the length of
 * the name in buf, or 0.
 */
static size_t tagged_name(struct span s, char *buf, size_t size)
{
	struct span token;
	enum token_type type;
	size_t n = 0, i;

	type = next_token(&s, &token);
	while (type == TOKEN_GROUP && *token.p == '(') {
		s.p = token.p + 1;
		type = next_token(&s, &token);
		if (type == TOKEN_GROUP && span_is(token, "(void)")) {
			type = next_token(&s, &token);
			break;
		}
	}
	while (type == TOKEN_LITERAL && *token.p == '"') {
		n = unquote(token, buf, n, size);
		type = next_token(&s, &token);
	}
	for (i = 0; i < sizeof(TAG) - 1; i++) {
		if (i >= n || buf[i] != TAG[i])
			return 0;
	}
	for (; i < n; i++)
		buf[i - (sizeof(TAG) - 1)] = buf[i];
	return n - (sizeof(TAG) - 1);
}

/* Returns the first argument if s is a call of one of our macros; else s. */
static struct span strip_macro(struct span s)
{
	struct span rest = s, token, group;

	if (next_token(&rest, &token) != TOKEN_WORD)
		return s;
	if (!span_is(token, "TAFFRAIL_FIELD") &&
	    !span_is(token, "TAFFRAIL_STR") &&
	    !span_is(token, "TAFFRAIL_BYTES") &&
	    !span_is(token, "TAFFRAIL_ARRAY"))
		return s;
	if (next_token(&rest, &group) != TOKEN_GROUP || *group.p != '(' ||
	    group.end[-1] != ')')
		return s;
	group.p++;
	group.end--;
	return next_argument(&group, false);
}

static bool is_taken(const char *name, const struct field_name *out, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		struct span other = { out[i].name, out[i].name };

		while (*other.end)
			other.end++;
		if (span_is(other, name))
			return true;
	}
	return false;
}

/* Writes n in decimal and a NUL at p. Returns the NUL's place. n < 1000. */
static char *put_number(char *p, int n)
{
	if (n >= 100)
		*p++ = (char)('0' + n / 100);
	if (n >= 10)
		*p++ = (char)('0' + n / 10 % 10);
	*p++ = (char)('0' + n % 10);
	*p = '\0';
	return p;
}

/* Gives field i the name in s, or argN; makes it differ from earlier names. */
static void set_name(struct field_name *out, int i, struct span s)
{
	char *name = out[i].name;
	size_t room = FIELD_NAME_BYTES - sizeof("_999"), n = 0;
	int k;

	while (s.p < s.end && n < room && (is_letter(*s.p) || is_digit(*s.p)))
		name[n++] = *s.p++;
	name[n] = '\0';
	if (!n || is_digit(name[0])) {
		name[0] = 'a';
		name[1] = 'r';
		name[2] = 'g';
		n = (size_t)(put_number(name + 3, i + 1) - name);
	}
	for (k = 2; is_taken(name, out, i); k++) {
		name[n] = '_';
		put_number(name + n + 1, k);
	}
}

static void parse_event(struct span s, int nfields, struct field_name *out)
{
	char buf[UNQUOTED_BYTES];
	bool templates;
	int i;

	templates = count_arguments(s, false) != nfields &&
		    count_arguments(s, true) == nfields;
	for (i = 0; i < nfields; i++) {
		struct span argument = next_argument(&s, templates);
		size_t n = tagged_name(argument, buf, sizeof(buf));

		if (n)
			argument = (struct span){ buf, buf + n };
		else
			argument = strip_macro(argument);
		set_name(out, i, expression_name(argument, DEPTH_MAX));
	}
}

/* Returns the last word of literal text, but not "#word": that was a type in
 * old formats. */
static struct span last_word(struct span s)
{
	struct span name = { s.p, s.p };
	const char *begin = s.p;

	while (s.p < s.end) {
		const char *p = s.p;

		if (!is_letter(*p) && !is_digit(*p)) {
			s.p++;
			continue;
		}
		while (s.p < s.end && (is_letter(*s.p) || is_digit(*s.p)))
			s.p++;
		if (is_letter(*p) && (p == begin || p[-1] != '#'))
			name = (struct span){ p, s.p };
	}
	return name;
}

/* Returns whether c is a flag, a digit or a length, before the conversion. */
static bool is_modifier(char c)
{
	const char *p;

	for (p = "-+ #0123456789.'$hlLqjzZt"; *p; p++) {
		if (*p == c)
			return true;
	}
	return false;
}

/*
 * Parses one directive of a format; s begins after its '%'. Names the fields
 * that the directive takes: one, more with `*`, none for %% and %m. Returns the
 * number of fields named so far.
 */
static int parse_directive(struct span *s, struct span words, int i,
			   int nfields, struct field_name *out)
{
	int32_t precision = FIELD_PRECISION_NONE;
	char c = '\0';

	while (s->p < s->end) {
		c = *s->p++;
		if (c == '*') {
			if (i < nfields)
				set_name(out, i++, (struct span){ 0, 0 });
			if (precision == 0)
				precision = FIELD_PRECISION_FIELD;
		} else if (!is_modifier(c)) {
			break;
		} else if (c == '.') {
			precision = 0;
		} else if (is_digit(c) && precision >= 0 &&
			   precision < INT32_MAX / 16) {
			precision = precision * 10 + (c - '0');
		}
	}
	if (c == '%' || c == 'm' || i >= nfields)
		return i;
	set_name(out, i, last_word(words));
	if (c == 'x' || c == 'X' || c == 'p')
		out[i].base = 16;
	else if (c == 'o')
		out[i].base = 8;
	out[i].pointer = c == 'p';
	if (c == 's')
		out[i].precision = precision;
	return i + 1;
}

static void parse_format(struct span s, int nfields, struct field_name *out)
{
	struct span words = { s.p, s.p };
	int i = 0;

	while (s.p < s.end && i < nfields) {
		if (*s.p++ != '%')
			continue;
		words.end = s.p - 1;
		i = parse_directive(&s, words, i, nfields, out);
		words.p = s.p;
	}
	for (; i < nfields; i++)
		set_name(out, i, (struct span){ 0, 0 });
}

int fields_parse(const char *text, int kind, int nfields,
		 struct field_name *out)
{
	struct span s = { text, text };
	int i;

	if (nfields < 0 || nfields > TAFFRAIL_FIELDS_MAX)
		return -EINVAL;
	for (i = 0; i < nfields; i++) {
		out[i].base = 10;
		out[i].pointer = 0;
		out[i].precision = FIELD_PRECISION_NONE;
	}
	while (*s.end)
		s.end++;
	if (kind == TAFFRAIL_KIND_EVENT)
		parse_event(s, nfields, out);
	else if (kind == TAFFRAIL_KIND_MARK)
		parse_format(s, nfields, out);
	else
		return -EINVAL;
	return 0;
}
