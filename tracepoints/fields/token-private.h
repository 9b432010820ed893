/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tokens of C and C++ in the text of a marker; private to the parser of names
 * (fields.c). All functions are SIGSAFE.
 *
 * Invariants, for any text: every position lies within the text, every loop
 * moves forward.
 */
#ifndef TRACEPOINTS_FIELDS_TOKEN_PRIVATE_H
#define TRACEPOINTS_FIELDS_TOKEN_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"

/* A part of a text: from p up to, not including, end. */
struct span {
	const char *p;
	const char *end;
};

enum token_type {
	TOKEN_END, TOKEN_WORD, TOKEN_NUMBER,
	TOKEN_LITERAL,		/* string or character, without its prefix; a
				 * raw string with it */
	TOKEN_GROUP,		/* (...), [...] or {...}, brackets included */
	TOKEN_OTHER,		/* one character */
};

static inline bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The bytes of UTF-8 outside ASCII are letters, as in C's identifiers. */
static inline bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c & 0x80);
}

static inline size_t length_of(struct span s)
{
	return (size_t)(s.end - s.p);
}

/* Returns whether s is that word. */
bool span_is(struct span s, const char *word);

/* Takes the next token from s. */
enum token_type next_token(struct span *s, struct span *token);

/*
 * Returns the end of the template arguments that begin at p with '<'. Returns p
 * when they are none: no '>' closes them, or neither ( nor :: nor { follows it.
 */
const char *skip_template(const char *p, const char *end);

#endif
