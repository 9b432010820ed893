/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A field's value as text, for the probe libraries that print it.
 * Async-signal-safe.
 */
#ifndef CALLBACKS_SHIPPED_VALUE_PRIVATE_H
#define CALLBACKS_SHIPPED_VALUE_PRIVATE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <taffrail/probe-library.h>

#define VALUE_BYTES	48	/* with the NUL; a longer value is cut */

/* Writes a number in decimal. No libc function: those of stdio are not async-
 * signal-safe. */
static inline void value_number(char text[VALUE_BYTES], uint64_t number,
				int negative)
{
	char digits[24];
	int n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	if (negative)
		*text++ = '-';
	while (n)
		*text++ = digits[--n];
	*text = '\0';
}

/* Writes a string as it is, an integer by its name or in decimal; nothing of
 * another field, or of none. */
static inline void value_text(const struct taffrail_event *event, int field,
			      char text[VALUE_BYTES])
{
	const char *string;
	size_t n;
	int64_t i64;
	uint64_t u64;

	*text = '\0';
	if (taffrail_field_string(event, field, &string, &n) ||
	    taffrail_field_name_of_value(event, field, &string, &n)) {
		n = n < VALUE_BYTES ? n : VALUE_BYTES - 1;
		memcpy(text, string, n);
		text[n] = '\0';
	} else if (taffrail_field_i64(event, field, &i64)) {
		value_number(text, i64 < 0 ? -(uint64_t)i64 : (uint64_t)i64,
			     i64 < 0);
	} else if (taffrail_field_u64(event, field, &u64)) {
		value_number(text, u64, 0);
	}
}

#endif
