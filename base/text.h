/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Building and reading short texts without libc: no locale, no allocation, no
 * errno. All of it is SIGSAFE.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text of at most size - 1 characters, always terminated. Characters that do
 * not fit are left out, and `cut` is 1. */
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

/* Returns the rest of `string` behind `prefix`, or NULL when the string does
 * not begin with it. */
const char *text_after(const char *string, const char *prefix);

/* Copies with truncation; the result is terminated. */
void text_copy(char *to, size_t size, const char *from);

/* Reads decimal digits at *p and moves *p behind them. Returns -1 when there
 * are none or the number does not fit. */
int64_t text_number(const char **p);

/* Reads a number of bytes, "4M": behind the digits may be K, M or G. Returns -1
 * when the text is something else, or the number does not fit. */
int64_t text_bytes(const char *text);

#endif
