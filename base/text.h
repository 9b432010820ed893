/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Building and reading short texts without libc: no locale, no allocation, no
 * errno. All of it is SIGSAFE.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* A text of at most size - 1 characters, always terminated. What does not fit
 * is cut, and `cut` says so. */
struct text {
	char *start;
	size_t size;
	size_t used;
	int cut;
};

void text_open(struct text *text, char *buffer, size_t size);
void text_add_bytes(struct text *text, const char *p, size_t n);
void text_add(struct text *text, const char *string);
void text_add_char(struct text *text, char c);
void text_add_number(struct text *text, int64_t number);
void text_add_unsigned(struct text *text, uint64_t number);
void text_add_hex(struct text *text, uint64_t number, int digits);

size_t text_length(const char *string);
int text_equal(const char *a, const char *b);

/* Does `string` begin with `prefix`? Returns what follows it, or NULL. */
const char *text_after(const char *string, const char *prefix);

/* Copies with truncation; the result is terminated. */
void text_copy(char *to, size_t size, const char *from);

/* Decimal digits at *p, moving *p behind them; -1 when there are none or the
 * number does not fit. */
int64_t text_number(const char **p);

#endif
