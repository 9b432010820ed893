/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text that other programs chose, as a terminal, UTF-8 and JSON take it. Facts:
 * RFC 3629, RFC 8259.
 *
 * In UTF-8 and JSON a byte 0xNN that is no part of UTF-8 becomes the private
 * character U+EFNN, so the output is always UTF-8 and the bytes can be made of
 * it again. Each of the characters U+EF80 to U+EFFF counts as three such bytes.
 */
#ifndef TRACES_TEXT_CHARACTERS_H
#define TRACES_TEXT_CHARACTERS_H

#include "traces/text/out.h"

/*
 * Returns whether a UTF-8 character of several bytes changes how a terminal
 * shows the text around it: a C1 control, the end of a line or paragraph, or
 * one that turns the direction of text.
 */
bool utf8_is_control(const void *p);

/* Replaces each byte of a control character, and each byte that is not UTF-8,
 * by '?', as ps(1) does. */
void printable(char *text);

/* Writes n bytes of text as UTF-8. If `quote` is not 0, the text stands between
 * two of it, and one in the text is doubled. */
void utf8_put(struct out *out, const char *text, size_t n, char quote);

/* Returns whether utf8_put() writes the text as it is. */
bool utf8_is_valid(const char *text, size_t n);

/* The most bytes that json_escape() writes for one byte. */
#define JSON_ESCAPED_BYTES	6

/* Writes the character that n bytes begin with, in the form of a string of
 * JSON, and sets *bytes to the length of the character in the text. Returns the
 * end of the output. */
char *json_escape(char *p, const uint8_t *at, size_t n, size_t *bytes);

/* Writes a string of JSON, with the quotes. */
void json_put_string(struct out *out, const char *text, size_t n);

#endif
