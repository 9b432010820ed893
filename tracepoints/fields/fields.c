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
#include "tracepoints/fields/name-private.h"

#define UNQUOTED_BYTES	256	/* of a name in a literal; the rest is cut */
#define DEPTH_MAX	8	/* of parentheses around a name */
#define TEMPLATE_BYTES	256	/* of template arguments; bounds the work */
#define TAG		"taffrail:"
#define MACRO		"TAFFRAIL_"	/* begins the names of our macros */

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

/* Returns whether a word is a value that has no name. */
static bool is_constant(struct span word)
{
	return span_is(word, "true") || span_is(word, "false") ||
	       span_is(word, "nullptr") || span_is(word, "NULL");
}

/*
 * Returns whether a word is a keyword, which names no field. A member's name is
 * none; nor are words that only C++ reserves, if nothing of C++ follows.
 */
static bool is_keyword(struct span word, struct span rest, bool behind)
{
	static const char only_cxx[][9] = {
		"class", "new", "operator", "template", "typename",
	};
	static const char words[][18] = {
		"sizeof", "alignof", "_Alignof", "typeof", "__typeof__",
		"static_cast", "const_cast", "reinterpret_cast",
		"dynamic_cast", "const", "volatile", "struct", "union",
		"enum", "unsigned", "signed", "char",
		"short", "int", "long", "float", "double", "bool", "_Bool",
		"void", "auto", "__extension__",
	};
	struct span token;
	enum token_type next;
	size_t i;

	if (is_constant(word))
		return true;
	next = next_token(&rest, &token);
	for (i = 0; i < sizeof(only_cxx) / sizeof(only_cxx[0]); i++) {
		if (span_is(word, only_cxx[i]))
			return next == TOKEN_WORD ||
			       (next == TOKEN_GROUP && *token.p == '(');
	}
	if (behind && (word.p[-1] == '.' ||
		       (word.p[-1] == '>' && word.p[-2] == '-')))
		return false;
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
	bool literal = false, behind;

	while ((type = next_token(&s, &token)) != TOKEN_END) {
		if (type == TOKEN_NUMBER || type == TOKEN_LITERAL) {
			literal = true;
		} else if (type == TOKEN_GROUP && *token.p == '(') {
			group = token;
		} else if (type == TOKEN_WORD) {
			if (s.p < s.end && (*s.p == '"' || *s.p == '\''))
				continue;
			behind = length_of(name) || length_of(group);
			if (!span_is(name, "this") &&
			    is_accessor(token, s, behind)) {
				s.p += 2;
				continue;
			}
			if (!is_keyword(token, s, behind))
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

/* Returns whether s is one word, as TAFFRAIL_FIELD's name is. */
static bool is_word(struct span s)
{
	struct span token, end;

	return next_token(&s, &token) == TOKEN_WORD &&
	       next_token(&s, &end) == TOKEN_END && !is_constant(token);
}

/* Returns what is in the parentheses around s, if there are any. */
static struct span strip_parentheses(struct span s)
{
	int depth = DEPTH_MAX;

	while (depth--) {
		struct span rest = s, token;

		if (next_token(&rest, &token) != TOKEN_GROUP ||
		    *token.p != '(' || token.end != s.end ||
		    token.end - token.p < 2 || token.end[-1] != ')')
			break;
		s = (struct span){ token.p + 1, token.end - 1 };
		while (s.p < s.end && is_space(s.end[-1]))
			s.end--;
	}
	return s;
}

/* Returns the first argument if s is a call of one of our macros; else s. */
static struct span strip_macro(struct span s)
{
	struct span rest = strip_parentheses(s), token, group;

	if (next_token(&rest, &token) != TOKEN_WORD ||
	    length_of(token) < sizeof(MACRO))
		return s;
	token.end = token.p + sizeof(MACRO) - 1;
	if (!span_is(token, MACRO))
		return s;
	if (next_token(&rest, &group) != TOKEN_GROUP || *group.p != '(' ||
	    group.end[-1] != ')')
		return s;
	group.p++;
	group.end--;
	return next_argument(&group, false);
}

/* Which argument a field comes from, if their numbers may differ. */
struct layout {
	int arguments;
	int packs;		/* arguments that end with "..." */
	int pack;		/* the first one; or all arguments */
	bool templates;		/* < and > may enclose commas */
};

static struct layout layout_of(struct span s, int nfields)
{
	struct layout layout = { .arguments = count_arguments(s, false) };
	int i;

	if (layout.arguments != nfields) {
		i = count_arguments(s, true);
		layout.templates = i == nfields;
		layout.arguments = layout.templates ? i : layout.arguments;
	}
	layout.pack = layout.arguments;
	for (i = 0; i < layout.arguments; i++) {
		struct span argument = next_argument(&s, layout.templates);

		if (length_of(argument) > 3 && argument.end[-1] == '.' &&
		    argument.end[-2] == '.' && argument.end[-3] == '.' &&
		    !layout.packs++)
			layout.pack = i;
	}
	return layout;
}

/* Returns how many fields argument i is, before the argument that nothing is
 * known from on; then 0. A macro may be several arguments, or none; of packs,
 * nothing says which fields each is. */
static int fields_of(const struct layout *layout, int i, int nfields)
{
	int pack = nfields - layout->arguments + 1;

	if (i < layout->pack || !layout->packs)
		return layout->arguments == nfields || layout->packs;
	if (layout->packs != 1 || pack < 0)
		return 0;
	return i == layout->pack ? pack : 1;
}

static void argument_name_set(struct span argument, int nfields, int i,
			      struct field_name *out)
{
	char buf[UNQUOTED_BYTES];
	size_t n = tagged_name(argument, buf, sizeof(buf));
	struct span name = n ? (struct span){ buf, buf + n } :
			       strip_macro(argument);

	/* a name that is given may be a keyword */
	if (name.p == argument.p || !is_word(name))
		name = expression_name(name, DEPTH_MAX);
	while (name.p < name.end && is_space(*name.p))
		name.p++;
	name_set(out, nfields, i, name.p, name.end);
}

static void parse_event(struct span s, int nfields, struct field_name *out)
{
	struct layout layout = layout_of(s, nfields);
	int i = 0, k, n;

	for (k = 0; k < layout.arguments && i < nfields; k++) {
		struct span argument = next_argument(&s, layout.templates);

		n = fields_of(&layout, k, nfields);
		if (n)
			argument_name_set(argument, nfields, i++, out);
		/* the rest of a pack */
		while (--n > 0 && i < nfields)
			name_set(out, nfields, i++, NULL, NULL);
		if (k >= layout.pack && layout.packs > 1)
			break;
	}
	for (; i < nfields; i++)
		name_set(out, nfields, i, NULL, NULL);
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

/* Takes a position, as 2$ is. Returns it, or 0 if there is none. */
static int take_position(struct span *s)
{
	const char *p = s->p;
	int n = 0;

	while (p < s->end && is_digit(*p) && n <= TAFFRAIL_FIELDS_MAX)
		n = n * 10 + (*p++ - '0');
	if (!n || p == s->end || *p != '$')
		return 0;
	s->p = p + 1;
	return n;
}

/*
 * Parses one directive of a format; s begins after its '%'. Names the fields
 * that the directive takes: one, more with `*`, none for %% and %m; with a
 * position, the field there, if none did before. Returns the number of fields
 * that were named in order.
 */
static int parse_directive(struct span *s, struct span words, int i,
			   int nfields, struct field_name *out)
{
	int32_t precision = FIELD_PRECISION_NONE;
	int position = take_position(s), star, at;
	char c = '\0';

	while (s->p < s->end) {
		c = *s->p++;
		if (c == '*') {
			star = take_position(s);
			if (!star && i < nfields)
				name_set(out, nfields, i++, NULL, NULL);
			if (precision == 0 && (!star || star + 1 == position))
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
	at = position ? position - 1 : i;
	if (c == '%' || c == 'm' || at >= nfields || *out[at].name)
		return i;
	words = last_word(words);
	name_set(out, nfields, at, words.p, words.end);
	if (c == 'x' || c == 'X' || c == 'p')
		out[at].base = 16;
	else if (c == 'o')
		out[at].base = 8;
	out[at].pointer = c == 'p';
	if (c == 's')
		out[at].precision = precision;
	return position ? i : i + 1;
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
	for (i = 0; i < nfields; i++) {
		if (!*out[i].name)
			name_set(out, nfields, i, NULL, NULL);
	}
}

int fields_parse(const char *text, int kind, int nfields,
		 struct field_name *out)
{
	struct span s = { text, text };
	int i;

	if (nfields < 0 || nfields > TAFFRAIL_FIELDS_MAX)
		return -EINVAL;
	for (i = 0; i < nfields; i++) {
		out[i].name[0] = '\0';
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
