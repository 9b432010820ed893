/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tokens of TSDL. Facts: CTF specification 1.8.3, appendix C: the lexical
 * rules are those of C.
 *
 * Invariant: t->at never passes the NUL that ends the text. After the first
 * error the token is TOKEN_BAD for good, so a parser that asks for any token
 * ends.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "traces/metadata.h"
#include "traces/read/tsdl-private.h"

int tsdl_fail(struct tsdl *t, int error)
{
	if (!t->error)
		t->error = error;
	t->kind = TOKEN_BAD;
	return t->error;
}

void *tsdl_memory(struct tsdl *t, struct class_memory **memory, size_t bytes)
{
	void *at = class_memory_take(memory, bytes);

	if (!at)
		tsdl_fail(t, -ENOMEM);
	return at;
}

/* Makes room for the text of a token of at most so many bytes, and the NUL.
 * Returns false without memory, which it notes. */
static bool make_room(struct tsdl *t, size_t bytes)
{
	char *more;

	if (bytes < t->text_room)
		return true;
	/* one buffer for all tokens: tsdl_take_text() copies those that stay */
	more = realloc(t->text, bytes + 64);
	if (!more) {
		tsdl_fail(t, -ENOMEM);
		return false;
	}
	t->text = more;
	t->text_room = bytes + 64;
	return true;
}

/* Skips blanks and comments of both kinds, and counts the lines. A comment that
 * does not end is an error, which is noted. Of the one that has the processes,
 * only begin and end are skipped. */
static void skip_blanks(struct tsdl *t)
{
	for (;; t->at++) {
		const char *rows = text_after(t->at, METADATA_ROWS);

		if (rows) {
			t->at = rows - 1;
			t->rows = true;
		} else if (t->rows && t->at[0] == '*' && t->at[1] == '/') {
			t->at++;
			t->rows = false;
		} else if (t->at[0] == '/' && t->at[1] == '*') {
			const char *end = strstr(t->at + 2, "*/");

			for (; end && t->at < end; t->at++)
				t->line += *t->at == '\n';
			if (!end) {
				tsdl_fail(t, -EBADMSG);
				return;
			}
			t->at++;
		} else if (t->at[0] == '/' && t->at[1] == '/') {
			t->at += strcspn(t->at, "\n");
			if (!*t->at)
				return;
			t->line++;
		} else if (!isspace((unsigned char)*t->at)) {
			return;
		} else {
			t->line += *t->at == '\n';
		}
	}
}

/* Takes the characters behind a backslash. Returns the one that they stand for.
 * *at never passes the end of the text. */
static char take_escaped(const char **at)
{
	/* as C has them, and \e */
	static const char from[] = "abefnrtv", to[] = "\a\b\033\f\n\r\t\v";
	const char *found = **at ? strchr(from, **at) : NULL;
	unsigned int value = 0;

	if (found) {
		(*at)++;
		return to[found - from];
	}
	if (**at == 'x') {
		(*at)++;
		for (int i = 0; i < 2 && isxdigit((unsigned char)**at); i++) {
			char digit[2] = { *(*at)++, '\0' };

			value = value * 16 +
				(unsigned int)strtoul(digit, NULL, 16);
		}
		return (char)value;
	}
	if (**at < '0' || **at > '7')
		return *(*at)++;
	for (int i = 0; i < 3 && **at >= '0' && **at <= '7'; i++)
		value = value * 8 + (unsigned int)(*(*at)++ - '0');
	return (char)value;
}

/* Takes a string without the escapes. A NUL in it is left out: names are C
 * strings. A string that does not end in the line is an error, which is noted.
 */
static void take_string(struct tsdl *t)
{
	const char *at = t->at + 1;
	size_t n = 0;

	if (!make_room(t, strcspn(at, "\n") + 1))
		return;
	while (*at && *at != '"' && *at != '\n') {
		char c = *at++;

		/* a string ends with the line, for which there is room */
		if (c == '\\' && *at && *at != '\n')
			c = take_escaped(&at);
		if (c)
			t->text[n++] = c;
	}
	t->text[n] = '\0';
	if (*at != '"') {
		tsdl_fail(t, -EBADMSG);
		return;
	}
	t->at = at + 1;
	t->kind = TOKEN_STRING;
}

void tsdl_next(struct tsdl *t)
{
	const char *start;
	char *end;
	size_t n = 0;

	if (t->error)
		return;
	skip_blanks(t);
	if (t->error)
		return;
	start = t->at;
	if (!*start) {
		t->kind = TOKEN_END;
	} else if (isalpha((unsigned char)*start) || *start == '_') {
		while (isalnum((unsigned char)start[n]) || start[n] == '_')
			n++;
		t->at += n;
		if (!make_room(t, n))
			return;
		memcpy(t->text, start, n);
		t->text[n] = '\0';
		t->kind = TOKEN_WORD;
	} else if (isdigit((unsigned char)*start) || *start == '-') {
		/* a negative integer is kept in two's complement */
		t->negative = *start == '-';
		start += t->negative;
		errno = 0;
		t->number = strtoull(start, &end, 0);
		if (end == start || errno) {
			tsdl_fail(t, -EBADMSG);
			return;
		}
		if (t->negative)
			t->number = 0 - t->number;
		t->at = end + strspn(end, "uUlL");
		t->kind = TOKEN_NUMBER;
	} else if (*start == '"') {
		take_string(t);
	} else if (!strncmp(start, ":=", 2)) {
		t->kind = TOKEN_SIGN;
		t->sign = SIGN_ASSIGN;
		t->at += 2;
	} else if (!strncmp(start, "...", 3)) {
		t->kind = TOKEN_SIGN;
		t->sign = SIGN_RANGE;
		t->at += 3;
	} else if (strchr("{}[]();:,=.<>", *start)) {
		t->kind = TOKEN_SIGN;
		t->sign = (unsigned char)*start;
		t->at++;
	} else {
		tsdl_fail(t, -EBADMSG);
	}
}

bool tsdl_is_sign(const struct tsdl *t, int which)
{
	return t->kind == TOKEN_SIGN && t->sign == which;
}

bool tsdl_is_word(const struct tsdl *t, const char *which)
{
	return t->kind == TOKEN_WORD && !strcmp(t->text, which);
}

bool tsdl_take_sign(struct tsdl *t, int which)
{
	bool is = tsdl_is_sign(t, which);

	if (is)
		tsdl_next(t);
	return is;
}

bool tsdl_take_word(struct tsdl *t, const char *which)
{
	bool is = tsdl_is_word(t, which);

	if (is)
		tsdl_next(t);
	return is;
}

int tsdl_need_sign(struct tsdl *t, int which)
{
	if (!tsdl_take_sign(t, which))
		return tsdl_fail(t, -EBADMSG);
	return t->error;
}

const char *tsdl_take_text(struct tsdl *t)
{
	const char *text = NULL;

	if (t->kind != TOKEN_WORD && t->kind != TOKEN_STRING) {
		tsdl_fail(t, -EBADMSG);
	} else {
		text = class_memory_text(t->memory, t->text);
		if (!text)
			tsdl_fail(t, -ENOMEM);
	}
	tsdl_next(t);
	return text;
}

void tsdl_skip_value(struct tsdl *t)
{
	int open = 0;

	/* the sign that ends the value stays: the caller takes it */
	while (t->kind != TOKEN_END && t->kind != TOKEN_BAD) {
		if (!open && (tsdl_is_sign(t, ';') || tsdl_is_sign(t, '}')))
			return;
		open += tsdl_is_sign(t, '{');
		open -= tsdl_is_sign(t, '}');
		tsdl_next(t);
	}
}
