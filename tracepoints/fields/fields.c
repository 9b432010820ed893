/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of a marker's fields, taken from the text; see fields.h.
 *
 * Invariants, for any text: every position lies within the text, every loop
 * moves forward, the depth of recursion has a bound; the names are unique and
 * are identifiers.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "taffrail/site.h"
#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/token-private.h"

#define UNQUOTED_BYTES	256	/* of a name in a literal; the rest is cut */
#define MEMBERS_ALL	UINT32_MAX
#define DEPTH_MAX	8	/* of parentheses around a name */
#define TAG		"taffrail:"
#define MACRO		"TAFFRAIL_"	/* begins the names of our macros */

/* Returns whether another field than number `own` has a name, or is a member of
 * a field that has it. */
static bool is_taken(const char *name, const struct field_name *out, int n,
		     int own)
{
	for (int i = 0; i < n; i++) {
		const char *p = name, *other = out[i].name;

		for (; *p && *p == *other; p++, other++)
			;
		if (i != own && (*p == *other || (!*p && *other == '.')))
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

/* Takes a character from *from, and writes the escape. Returns the end of the
 * escape. */
static char *put_unicode(char *p, const char **from, const char *end)
{
	uint32_t c = (unsigned char)*(*from)++;
	int digits = 4;

	if (c >= 0xc0 && c < 0xf8)
		c &= c >= 0xf0 ? 0x07 : c >= 0xe0 ? 0x0f : 0x1f;
	while (*from < end && (**from & 0xc0) == 0x80 && c < 0x8000)
		c = c << 6 | (*(*from)++ & 0x3f);
	while (digits < 6 && c >> 4 * digits)
		digits++;
	*p++ = '_';
	*p++ = 'u';
	while (digits--)
		*p++ = "0123456789abcdef"[c >> 4 * digits & 15];
	return p;
}

/*
 * Gives field i the name from p to end, as an identifier, or argN; makes it
 * differ from the names that the other fields have got. A character of UTF-8
 * outside ASCII becomes _u and four digits or more of the code point, since
 * neither traces nor gdb have such names.
 */
static void name_set(struct field_name *out, int nfields, int i, const char *p,
		     const char *end)
{
	char *name = out[i].name;
	size_t room = FIELD_NAME_BYTES - sizeof("_999"), n = 0;

	while (p < end && (is_letter(*p) || is_digit(*p)) &&
	       n + (*p & 0x80 ? sizeof("_u10ffff") - 1 : 1) <= room) {
		if (*p & 0x80)
			n = (size_t)(put_unicode(name + n, &p, end) - name);
		else
			name[n++] = *p++;
	}
	name[n] = '\0';
	if (!n || is_digit(name[0])) {
		name[0] = 'a';
		name[1] = 'r';
		name[2] = 'g';
		n = (size_t)(put_number(name + 3, i + 1) - name);
	}
	for (int k = 2; is_taken(name, out, nfields, i); k++) {
		name[n] = '_';
		put_number(name + n + 1, k);
	}
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

/* Returns how many arguments a text has. */
static int count_arguments(struct span s, bool templates)
{
	int n = 0;

	while (s.p < s.end) {
		next_argument(&s, templates);
		n++;
	}
	return n;
}

/* Returns whether a word is in a list, whose words end in NUL, the last one in
 * two. */
static bool is_among(struct span word, const char *list)
{
	while (*list) {
		if (span_is(word, list))
			return true;
		while (*list++)
			;
	}
	return false;
}

/* Returns whether a word is a value that has no name. */
static bool is_constant(struct span word)
{
	return is_among(word, "true\0" "false\0" "nullptr\0" "NULL\0");
}

/*
 * Returns whether a word is a keyword, which names no field. A member's name is
 * none; nor are words that only C++ reserves, if nothing of C++ follows.
 */
static bool is_keyword(struct span word, struct span rest, bool behind)
{
	static const char only_cxx[] =
		"class\0" "new\0" "operator\0" "template\0" "typename\0";
	static const char words[] =
		"sizeof\0" "alignof\0" "_Alignof\0" "typeof\0" "__typeof__\0"
		"static_cast\0" "const_cast\0" "reinterpret_cast\0"
		"dynamic_cast\0" "const\0" "volatile\0" "struct\0" "union\0"
		"enum\0" "unsigned\0" "signed\0" "char\0" "short\0" "int\0"
		"long\0" "float\0" "double\0" "bool\0" "_Bool\0" "void\0"
		"auto\0" "__extension__\0";
	struct span token;
	enum token_type next;

	if (is_constant(word))
		return true;
	next = next_token(&rest, &token);
	if (is_among(word, only_cxx))
		return next == TOKEN_WORD ||
		       (next == TOKEN_GROUP && *token.p == '(');
	if (behind && (word.p[-1] == '.' ||
		       (word.p[-1] == '>' && word.p[-2] == '-')))
		return false;
	return is_among(word, words);
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
			/* s.c_str(): the object's own value */
			if (behind && !span_is(name, "this") &&
			    (token.p[-1] == '.' || token.p[-1] == '>') &&
			    s.end - s.p >= 2 && s.p[0] == '(' &&
			    s.p[1] == ')' &&
			    is_among(token, "c_str\0" "data\0" "get\0")) {
				s.p += 2;
				continue;
			}
			if (!is_keyword(token, s, behind))
				name = token;
			/* errno is *__errno_location() where another macro
			 * expanded it before the marker */
			if (span_is(name, "__errno_location"))
				name = (struct span){ name.p + 2, name.p + 7 };
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

/*
 * Reads the tag that TAFFRAIL_FIELD and similar macros leave when another macro
 * expanded them first: ((void)"taffrail:" "NAME", ...), or (, "taffrail:"
 * "NAME", ...) of those that say how a field is shown. Returns the length of
 * the name in buf, or 0.
 */
static size_t tagged_name(struct span s, char *buf, size_t size)
{
	struct span token;
	enum token_type type;
	const char *p;
	size_t n = 0, i;

	type = next_token(&s, &token);
	while (type == TOKEN_GROUP && *token.p == '(') {
		s.p = token.p + 1;
		type = next_token(&s, &token);
		if (type == TOKEN_OTHER && *token.p == ',')
			type = next_token(&s, &token);
		if (type == TOKEN_GROUP && span_is(token, "(void)")) {
			type = next_token(&s, &token);
			break;
		}
	}
	while (type == TOKEN_LITERAL && *token.p == '"') {
		for (p = token.p + 1; p < token.end && *p != '"' && n < size;
		     p++) {
			if (*p == '\\' && p + 1 < token.end)
				p++;
			buf[n++] = *p;
		}
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

/* Returns the first argument if s is a call of one of our macros, with or
 * without parentheses around the call; else s. */
static struct span strip_macro(struct span s)
{
	struct span inner = s, rest, token, group;
	int depth = DEPTH_MAX;

	while (depth--) {
		rest = inner;
		if (next_token(&rest, &token) != TOKEN_GROUP ||
		    *token.p != '(' || token.end != inner.end ||
		    token.end - token.p < 2 || token.end[-1] != ')')
			break;
		inner = (struct span){ token.p + 1, token.end - 1 };
		while (inner.p < inner.end && is_space(inner.end[-1]))
			inner.end--;
	}
	rest = inner;
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

/* Returns whether an argument is TAFFRAIL_LEVEL or TAFFRAIL_MESSAGE, or the
 * list of one that another macro expanded first, whose second item is empty: no
 * field. */
static bool is_remark(struct span s)
{
	struct span token;
	enum token_type type = next_token(&s, &token);

	if (type == TOKEN_WORD)
		return is_among(token, "TAFFRAIL_LEVEL\0" "TAFFRAIL_MESSAGE\0");
	if (type != TOKEN_GROUP || *token.p != '(')
		return false;
	s.p = token.p + 1;
	next_argument(&s, false);
	return next_token(&s, &token) == TOKEN_OTHER && *token.p == ',';
}

/*
 * Finds the members of argument `number`, counted from the right, in the groups
 * in front of a text: "\1" NUMBER ":x, y\2" for each structure. With
 * MEMBERS_ALL, sets *extra to how many more fields than arguments all are, and
 * returns the text behind them. Returns "" if an argument has none.
 */
static const char *members_find(const char *p, uint32_t number, int *extra)
{
	*extra = 0;
	while (*p == '\1') {
		uint32_t n = 0;

		while (is_digit(*++p))
			n = n * 10 + (uint32_t)(*p - '0');
		if (n == number)
			return p;
		while (*p && *p++ != '\2')
			*extra += *p == ',';
	}
	return number == MEMBERS_ALL ? p : "";
}

/*
 * Names the fields of an argument, from i on: one, or NAME.MEMBER for each
 * member that p lists; v[0] is .v.0. NAME is the tag of a macro, else a word of
 * the expression. Returns the number of the next field.
 */
static int fields_set(struct span argument, const char *p, int nfields, int i,
		      struct field_name *out)
{
	char buf[UNQUOTED_BYTES], whole[FIELD_NAME_BYTES];
	size_t n = tagged_name(argument, buf, sizeof(buf));
	struct span name = n ? (struct span){ buf, buf + n } : argument;
	struct span rest, token, end;
	struct text member;
	uint8_t c;

	for (int depth = n ? 1 : 2; depth; depth--)	/* a name in a macro */
		name = strip_macro(name);
	/* one word is a name that is given, and may be a keyword: a macro's, or
	 * one that a program declares, as no expression is a keyword alone */
	rest = name;
	if (next_token(&rest, &token) != TOKEN_WORD ||
	    next_token(&rest, &end) != TOKEN_END || is_constant(token))
		name = expression_name(name, DEPTH_MAX);
	while (name.p < name.end && is_space(*name.p))
		name.p++;
	name_set(out, nfields, i, name.p, name.end);
	text_copy(whole, sizeof(whole), out[i].name);
	do {
		text_open(&member, out[i++].name, FIELD_NAME_BYTES);
		text_add(&member, whole);
		c = *p ? '.' : '\0';
		while (c > '\2' && c != ',') {
			/* neither blanks nor brackets */
			if (c > '-' && c != ']')
				text_add_char(&member, (char)c);
			c = (uint8_t)*++p;
			if (c == '[' || c == '>')
				c = '.';
		}
	} while (*p == ',' && i < nfields);
	return i;
}

/*
 * Names the fields of a TAFFRAIL_EVENT. < and > in the text enclose commas only
 * if there are then as many arguments as fields. Otherwise a macro may be
 * several arguments, or none; of two packs, nothing says which fields each is.
 * The fields from such an argument on get argN.
 */
static void parse_event(struct span s, int nfields, struct field_name *out)
{
	struct span none = { s.p, s.p }, rest, argument;
	const char *groups = s.p, *members;
	int extra;
	int fields;		/* without those that further members are */
	int arguments;
	int packs = 0;		/* arguments that end with "..." */
	int pack;		/* the first one; or all arguments */
	bool templates;
	int i = 0, k, n, left;

	s.p = members_find(groups, MEMBERS_ALL, &extra);
	for (rest = s; is_remark(next_argument(&rest, false));)
		s = rest;
	fields = left = nfields - extra;
	arguments = count_arguments(s, false);
	templates = arguments != fields && count_arguments(s, true) == fields;
	if (templates)
		arguments = fields;
	pack = arguments;
	for (k = 0, rest = s; k < arguments; k++) {
		argument = next_argument(&rest, templates);
		if (length_of(argument) > 3 && argument.end[-1] == '.' &&
		    argument.end[-2] == '.' && argument.end[-3] == '.' &&
		    !packs++)
			pack = k;
	}
	for (k = 0; i < nfields; k++) {
		argument = none;
		n = nfields;
		if (k < arguments && (k <= pack || packs <= 1)) {
			argument = next_argument(&s, templates);
			if (k < pack || !packs)
				n = arguments == fields || packs;
			else if (packs != 1 || fields < arguments - 1)
				n = 0;
			else
				n = k == pack ? fields - arguments + 1 : 1;
		}
		for (; n > 0 && i < nfields; n--) {
			members = members_find(groups, (uint32_t)left--,
					       &extra);
			i = fields_set(argument, members, nfields, i, out);
			/* a pack names its first field */
			argument = none;
		}
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
	static const char unread[] = "unread";
	int32_t precision = FIELD_PRECISION_NONE;
	const char *start = s->p - 1, *modifier;
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
			continue;
		}
		/* a flag, a digit or a length, before the conversion */
		modifier = "-+ #0123456789.'$hlLqjzZt";
		while (*modifier && *modifier != c)
			modifier++;
		if (!*modifier)
			break;
		if (c == '.') {
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
	/* no words are before this one */
	if (s->p == s->end && format_tells_unread(start))
		words = (struct span){ unread, unread + sizeof(unread) - 1 };
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

bool format_tells_unread(const char *format)
{
	static const char last[] = FIELD_UNREAD;
	const char *p = format;
	uint32_t i;

	while (*p)
		p++;
	if ((size_t)(p - format) < sizeof(last) - 1)
		return false;
	for (i = 0, p -= sizeof(last) - 1; last[i]; i++)
		if (p[i] != last[i])
			return false;
	return true;
}

int fields_parse(const char *text, int kind, int nfields,
		 struct field_name *out)
{
	struct span s = { text, text }, words = { text, text };

	if (nfields < 0 || nfields > TAFFRAIL_FIELDS_MAX)
		return -EINVAL;
	for (int i = 0; i < nfields; i++) {
		out[i].name[0] = '\0';
		out[i].base = 10;
		out[i].pointer = 0;
		out[i].precision = FIELD_PRECISION_NONE;
	}
	while (*s.end)
		s.end++;
	if (kind == TAFFRAIL_KIND_EVENT) {
		parse_event(s, nfields, out);
		return 0;
	}
	if (kind != TAFFRAIL_KIND_MARK)
		return -EINVAL;
	for (int i = 0; s.p < s.end && i < nfields;) {
		if (*s.p++ != '%')
			continue;
		words.end = s.p - 1;
		i = parse_directive(&s, words, i, nfields, out);
		words.p = s.p;
	}
	/* conversions that have no word before them */
	for (int i = 0; i < nfields; i++) {
		if (!*out[i].name)
			name_set(out, nfields, i, NULL, NULL);
	}
	return 0;
}

bool field_name_valid(const char *name)
{
	const char *p = name;

	for (; p && *p; p++)
		if (*p != '_' && (uint32_t)((*p | 32) - 'a') >= 26 &&
		    (p == name || !is_digit(*p)))
			return false;
	return p > name && p - name < FIELD_NAME_BYTES;
}

bool marker_name_valid(const char *name)
{
	const char *p = name;

	for (; p && *p; p++)
		if ((unsigned char)*p <= ' ' || *p == '/' || *p == 127)
			return false;
	return p > name;
}
