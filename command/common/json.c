/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A small JSON writer. See json.h.
 */
#include "command/common/json.h"

#include <inttypes.h>
#include <string.h>

#include "traces/text/characters.h"
#include "traces/text/number.h"

/* Integers of 64 bits are between these. */
#define INTEGER_MIN	-9223372036854775808.0L
#define INTEGER_MAX	18446744073709551616.0L

/* Writes a text in quotes, with all of its bytes (json.h). */
static void put_text(FILE *file, const char *text)
{
	char piece[JSON_ESCAPED_BYTES];
	size_t bytes;

	fputc('"', file);
	for (size_t n = strlen(text); n; n -= bytes, text += bytes) {
		char *end = json_escape(piece, (const uint8_t *)text, n,
					&bytes);

		fwrite(piece, 1, (size_t)(end - piece), file);
	}
	fputc('"', file);
}

/* Writes the comma and the key before a value; `key` may be NULL. */
static void value_begin(struct json *json, const char *key)
{
	if (json->behind)
		fputc(',', json->file);
	json->behind = true;
	if (key) {
		put_text(json->file, key);
		fputc(':', json->file);
	}
}

void json_open(struct json *json, const char *key, char bracket)
{
	value_begin(json, key);
	fputc(bracket, json->file);
	json->behind = false;
}

void json_close(struct json *json, char bracket)
{
	fputc(bracket, json->file);
	json->behind = true;
}

void json_string(struct json *json, const char *key, const char *value)
{
	value_begin(json, key);
	put_text(json->file, value);
}

void json_number(struct json *json, const char *key, uint64_t value)
{
	value_begin(json, key);
	fprintf(json->file, "%" PRIu64, value);
}

void json_real(struct json *json, const char *key, long double value)
{
	value_begin(json, key);
	if (value != value)
		fputs("\"NaN\"", json->file);
	else if (value - value != 0)
		fputs(value < 0 ? "\"-Infinity\"" : "\"Infinity\"", json->file);
	else if (value >= INTEGER_MIN && value < INTEGER_MAX &&
		 value == (value < 0 ? (long double)(int64_t)value :
				       (long double)(uint64_t)value))
		fprintf(json->file, "%.0Lf", value);
	else
		fprintf(json->file, "%.17Lg", value);
}

__extension__ void json_wide(struct json *json, const char *key,
			     __int128 value)
{
	char text[NUMBER_WIDE_BYTES];
	char *end = number_wide(text, value);

	value_begin(json, key);
	fwrite(text, 1, (size_t)(end - text), json->file);
}

void json_bool(struct json *json, const char *key, bool value)
{
	value_begin(json, key);
	fputs(value ? "true" : "false", json->file);
}

void json_end(struct json *json)
{
	fputc('\n', json->file);
	json->behind = false;
}
