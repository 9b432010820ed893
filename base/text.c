/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Short texts without libc.
 */
#include "base/text.h"

#include "base/base.h"

void text_open(struct text *text, char *buffer, size_t size)
{
	text->start = buffer;
	text->size = size;
	text->used = 0;
	text->cut = 0;
	buffer[0] = 0;
}

void text_add_char(struct text *text, char c)
{
	if (text->used + 1 >= text->size) {
		text->cut = 1;
		return;
	}
	text->start[text->used++] = c;
	text->start[text->used] = 0;
}

void text_add_bytes(struct text *text, const char *p, size_t n)
{
	size_t room = text->used + 1 < text->size ?
			      text->size - 1 - text->used : 0;
	char *to = text->start + text->used;

	text->cut |= n > room;
	n = n > room ? room : n;
	for (size_t i = 0; i < n; i++)
		to[i] = p[i];
	if (n)
		to[n] = 0;
	text->used += n;
}

void text_add(struct text *text, const char *string)
{
	text_add_bytes(text, string, text_length(string));
}

void text_add_unsigned(struct text *text, uint64_t number)
{
	char digits[20];
	int n = 0;

	do {
		digits[n++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (n)
		text_add_char(text, digits[--n]);
}

void text_add_number(struct text *text, int64_t number)
{
	if (number < 0)
		text_add_char(text, '-');
	text_add_unsigned(text, number < 0 ? 0 - (uint64_t)number :
					     (uint64_t)number);
}

void text_add_hex(struct text *text, uint64_t number, int digits)
{
	int shift = 60;

	while (shift > 0 && !(number >> shift) && shift >= digits * 4)
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		text_add_char(text, "0123456789abcdef"[number >> shift & 15]);
}

size_t text_length(const char *string)
{
	const char *p = string;

	while (*p)
		p++;
	return (size_t)(p - string);
}

bool text_equal(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

const char *text_after(const char *string, const char *prefix)
{
	while (*prefix)
		if (*string++ != *prefix++)
			return NULL;
	return string;
}

const char *text_file_name(const char *path)
{
	const char *p;

	for (p = path; *p; p++)
		if (*p == '/')
			path = p + 1;
	return path;
}

void text_copy(char *to, size_t size, const char *from)
{
	struct text text;

	text_open(&text, to, size);
	text_add(&text, from);
}

int64_t text_number(const char **p)
{
	int64_t number = 0;

	if (**p < '0' || **p > '9')
		return -1;
	while (**p >= '0' && **p <= '9') {
		if (number > (INT64_MAX - 9) / 10)
			return -1;
		number = number * 10 + (**p - '0');
		(*p)++;
	}
	return number;
}

int64_t text_bytes(const char *text)
{
	static const char units[] = "KMG";
	int64_t number = text_number(&text);

	for (int i = 0; i < 3 && *text; i++)
		if ((*text & ~0x20) == units[i] && !text[1] &&
		    number < INT64_MAX >> (10 * (i + 1)))
			return number < 0 ? -1 : number << (10 * (i + 1));
	return *text ? -1 : number;
}

int64_t text_time(const char *text)
{
	static const struct {
		char unit[4];
		uint32_t ms;
	} units[] = {
		{ "", 1000 }, { "ms", 1 }, { "s", 1000 }, { "m", 60000 },
		{ "min", 60000 }, { "h", 3600000 },
	};
	int64_t number = text_number(&text);

	for (uint32_t i = 0; i < ARRAY_SIZE(units); i++)
		if (text_equal(text, units[i].unit) &&
		    number <= INT64_MAX / units[i].ms)
			return number < 0 ? -1 : number * units[i].ms;
	return -1;
}
