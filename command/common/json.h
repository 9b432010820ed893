/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A small JSON writer: it adds commas and escapes; the caller closes what it
 * opens. A byte that is no part of UTF-8 becomes U+EF80 to U+EFFF, as the
 * characters U+EF80 to U+EFFF do, byte by byte: so the output is always UTF-8,
 * and has all of the text (docs/looking.md).
 */
#ifndef COMMAND_COMMON_JSON_H
#define COMMAND_COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A document that is being written. Errors of `file` are the caller's to ask
 * for (command_finish()). */
struct json {
	FILE *file;
	bool behind;		/* a value precedes at this level */
};

/*
 * `key` is NULL inside an array and at the top. `bracket` is '{' or '[' to
 * open, '}' or ']' to close; json_end() ends the document's line.
 */
void json_open(struct json *json, const char *key, char bracket);
void json_close(struct json *json, char bracket);
void json_string(struct json *json, const char *key, const char *value);
void json_number(struct json *json, const char *key, uint64_t value);
/* An integer with all its digits; "NaN", "Infinity", "-Infinity" as strings. */
void json_real(struct json *json, const char *key, long double value);
/* An integer of 128 bits, with all its digits. */
__extension__ void json_wide(struct json *json, const char *key,
			     __int128 value);
void json_bool(struct json *json, const char *key, bool value);
void json_end(struct json *json);

#endif
