/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers as text, fast. Each function writes at p, at most the bytes that the
 * constant of its name says, no NUL, and returns the end. The caller makes sure
 * that there is room.
 */
#ifndef TRACES_TEXT_NUMBER_H
#define TRACES_TEXT_NUMBER_H

#include <stdint.h>
#include <string.h>

#define NUMBER_U64_BYTES	20
#define NUMBER_S64_BYTES	20
#define NUMBER_WIDE_BYTES	40
#define NUMBER_REAL_BYTES	32

/* The digits of 00 to 99. */
extern const char number_pairs[201];

/* Writes n digits of a value that has no more, with leading zeros. */
static inline char *number_digits(char *p, uint32_t value, int n)
{
	int i = n;

	for (; i >= 2; i -= 2, value /= 100)
		memcpy(p + i - 2, number_pairs + 2 * (value % 100), 2);
	if (i)
		*p = (char)('0' + value % 10);
	return p + n;
}

/* Writes an integer without a sign. */
static inline char *number_u64(char *p, uint64_t value)
{
	char *end;
	int n = 1;

	for (uint64_t rest = value; rest >= 10; rest /= 10000)
		n += rest < 100 ? 1 : rest < 1000 ? 2 : rest < 10000 ? 3 : 4;
	end = p + n;
	for (; n >= 2; n -= 2, value /= 100)
		memcpy(p + n - 2, number_pairs + 2 * (value % 100), 2);
	if (n)
		*p = (char)('0' + value);
	return end;
}

/* Writes an integer, with a minus in front if it is below 0. */
static inline char *number_s64(char *p, int64_t value)
{
	if (value >= 0)
		return number_u64(p, (uint64_t)value);
	*p = '-';
	return number_u64(p + 1, 0 - (uint64_t)value);
}

/* Writes an integer of 128 bits. */
__extension__ char *number_wide(char *p, __int128 value);

/* Writes a value in a base of 2, 8 or 16, with capital letters. It has at most
 * 64 digits. */
char *number_base(char *p, uint64_t value, unsigned int bits_a_digit);

/* Writes the same text as printf for "%g". */
char *number_real(char *p, double value);

/* Writes digits from which strtod() makes the same number again, with a point
 * or an exponent. The number is finite. */
char *number_exact(char *p, double value);

#endif
