/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What stands behind a marker's texts: names of values, found by field; the
 * same in CTF; damaged bytes.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "taffrail/site.h"
#include "tracepoints/fields/errors.h"
#include "tracepoints/fields/shown.h"
#include "traces/tsdl/tsdl.h"

static char bytes[4096];
static uint32_t used;

/* Adds a field with names; the values count from `first` in steps. */
static void add(uint8_t field, uint8_t how, uint16_t count, int64_t first,
		int64_t step, const char *names)
{
	struct taffrail_shown head = { field, how, count,
				       (uint32_t)(8 * count + strlen(names) +
						  1) };
	int i;

	memcpy(bytes + used, &head, sizeof(head));
	used += (uint32_t)sizeof(head);
	for (i = 0; i < count; i++, first += step, used += 8)
		memcpy(bytes + used, &first, 8);
	memcpy(bytes + used, names, strlen(names) + 1);
	used += (uint32_t)strlen(names) + 1;
}

static void begin(void)
{
	static const char texts[] = "app\0step\0a, b, c\0file.c";

	memcpy(bytes, texts, sizeof(texts));
	used = sizeof(texts);
}

/* Returns "name=value name=value", or NULL. */
static const char *names_of(uint32_t number)
{
	static char text[512];
	struct shown_bytes shown = shown_behind(bytes, used);
	struct shown_field field;
	struct shown_name name;
	size_t n = 0;

	if (!shown_find(&field, &shown, number))
		return NULL;
	n += (size_t)sprintf(text, "%d:", field.how);
	while (shown_next(&field, &name))
		n += (size_t)sprintf(text + n, " %.*s=%lld",
				     (int)(name.end - name.start), name.start,
				     (long long)name.value);
	return text;
}

static const char *ctf_of(uint32_t number, int bits, bool is_signed)
{
	static char text[16384];
	struct shown_bytes shown = shown_behind(bytes, used);
	struct shown_field field;
	FILE *out = fmemopen(text, sizeof(text), "w");
	bool any = shown_find(&field, &shown, number) &&
		   metadata_enumeration(out, &field, bits, is_signed);

	fclose(out);
	return any ? text : "";
}

static void check_names(void)
{
	begin();
	unit_check(!names_of(0), "no bytes: nothing");
	add(2, TAFFRAIL_HOW_ENUM, 3, -1, 3, "LAST, job::IDLE, a::b::RUNNING");
	add(3, TAFFRAIL_HOW_HEX, 0, 0, 0, "");
	add(9, 200, 0, 0, 0, "what a later version has");
	add(1, TAFFRAIL_HOW_ENUM, 4, 1, 0x7fffffff, "A,  B,C");
	unit_equal_string(names_of(0), "1: A=1 B=2147483648 C=4294967295",
			  "less names than values");
	unit_equal_string(names_of(1), "1: LAST=-1 IDLE=2 RUNNING=5", "names");
	unit_equal_string(names_of(2), "2:", "a base");
	unit_equal_string(names_of(8), "200:", "what is not known");
	unit_check(!names_of(3), "no such field");
}

static void check_ctf(void)
{
	const char *begins = "enum : integer { size = %d; align = 8; "
			     "signed = %d; } { %s }";
	char want[512];

	snprintf(want, sizeof(want), begins, 32, 1,
		 "\"LAST\" = -1, \"IDLE\" = 2, \"RUNNING\" = 5");
	unit_equal_string(ctf_of(1, 32, true), want, "CTF: signed");
	snprintf(want, sizeof(want), begins, 8, 0,
		 "\"IDLE\" = 2, \"RUNNING\" = 5");
	unit_equal_string(ctf_of(1, 8, false), want,
			  "CTF: no value that the integer cannot have");
	snprintf(want, sizeof(want), begins, 64, 0,
		 "\"LAST\" = 18446744073709551615, \"IDLE\" = 2, "
		 "\"RUNNING\" = 5");
	unit_equal_string(ctf_of(1, 64, false), want, "CTF: 64 bits");
	snprintf(want, sizeof(want), begins, 8, 1, "\"A\" = 1");
	unit_equal_string(ctf_of(0, 8, true), want, "CTF: 8 bits");
	unit_equal_string(ctf_of(2, 8, true), "", "CTF: no names");
	begin();
	add(1, TAFFRAIL_HOW_ENUM, 3, 0, 1, "a\"b, a\"b, \\\n");
	snprintf(want, sizeof(want), begins, 8, 0,
		 "\"a\\\"b\" = 0, \"\\\\\\012\" = 2");
	unit_equal_string(ctf_of(0, 8, false), want,
			  "CTF: quotes, and a name that comes twice");
	add(3, TAFFRAIL_HOW_ERRNO, 0, 0, 0, "");
	unit_check(!!strstr(ctf_of(2, 8, true), "\"ENOENT\" = 2, "
			    "\"-ENOENT\" = -2, "), "CTF: errors");
	unit_check(!strstr(ctf_of(2, 8, false), "-ENOENT"),
		   "CTF: unsigned errors");
	add(2, TAFFRAIL_HOW_BOOL, 0, 0, 0, "");
	snprintf(want, sizeof(want), begins, 8, 0,
		 "\"false\" = 0, \"true\" = 1");
	unit_equal_string(ctf_of(1, 8, false), want, "CTF: truth");
}

/* Adds names for values from one to another, as agents do. */
static void add_ranges(struct text *text, uint32_t number,
		       const int64_t *values, uint16_t count,
		       const char *names, size_t n)
{
	size_t begin = shown_begin(text, number, TAFFRAIL_HOW_RANGES, count);

	text_add_bytes(text, (const char *)values, 8 * (size_t)count);
	text_add_bytes(text, names, n);
	shown_end(text, begin);
}

static void check_ranges(void)
{
	static const int64_t values[] = { -200, -1, 0, 0, 1, 300, INT64_MIN,
					  INT64_MAX, 9, 5 };
	static const char names[] = "below\0a, b::c\0\0all\0none";
	const char *begins = "enum : integer { size = %d; align = 8; "
			     "signed = %d; } { %s }";
	char more[512], want[512];
	struct shown_bytes shown;
	struct shown_field field;
	struct shown_name name;
	struct text text;
	int n = 0;

	begin();
	text_open(&text, more, sizeof(more));
	shown_end(&text, shown_begin(&text, 1, TAFFRAIL_HOW_BIG_ENDIAN, 0));
	shown_end(&text, shown_begin(&text, 1, TAFFRAIL_HOW_OCT, 0));
	add_ranges(&text, 0, values, 10, names, sizeof(names));
	shown_end(&text, shown_begin(&text, SHOWN_MARKER, TAFFRAIL_HOW_URI,
				     0));
	memcpy(bytes + used, more, text.used);
	used += (uint32_t)text.used;
	shown = shown_behind(bytes, used);
	unit_check(shown_says(&shown, 1, TAFFRAIL_HOW_BIG_ENDIAN) &&
		   shown_says(&shown, 1, TAFFRAIL_HOW_OCT) &&
		   !shown_says(&shown, 1, TAFFRAIL_HOW_HEX) &&
		   !shown_says(&shown, 0, TAFFRAIL_HOW_OCT),
		   "several descriptions of a field");
	unit_equal(shown_base(&shown, 1), 8, "a base behind another one");
	unit_equal(shown_base(&shown, 0), 0, "no base");
	unit_check(shown_find_how(&field, &shown, SHOWN_MARKER,
				  TAFFRAIL_HOW_URI), "of the marker");
	unit_check(shown_find(&field, &shown, 0), "ranges");
	while (shown_next(&field, &name)) {
		unit_check(name.value == values[2 * n] &&
			   name.to == values[2 * n + 1], "range %d", n);
		if (n == 1)
			unit_equal_string(name.start, "a, b::c", "any name");
		n++;
	}
	unit_equal(n, 5, "the number of ranges");
	unit_check(shown_find(&field, &shown, 0) &&
		   shown_next(&field, &name) &&
		   shown_covers(&name, (uint64_t)-200, 1) &&
		   shown_covers(&name, (uint64_t)-1, 1) &&
		   !shown_covers(&name, 0, 1) && !shown_covers(&name, 0, 0) &&
		   shown_covers(&name, UINT64_MAX - 1, 0), "values of a range");

	snprintf(want, sizeof(want), begins, 8, 1,
		 "\"below\" = -128 ... -1, \"a, b::c\" = 0, "
		 "\"\" = 1 ... 127, \"all\" = -128 ... 127");
	unit_equal_string(ctf_of(0, 8, true), want, "CTF: signed ranges");
	snprintf(want, sizeof(want), begins, 8, 0,
		 "\"a, b::c\" = 0, \"\" = 1 ... 255, \"all\" = 0 ... 255");
	unit_equal_string(ctf_of(0, 8, false), want, "CTF: unsigned ranges");
	snprintf(want, sizeof(want), begins, 64, 0,
		 "\"below\" = 18446744073709551416 ... 18446744073709551615, "
		 "\"a, b::c\" = 0, \"\" = 1 ... 300");
	unit_equal_string(ctf_of(0, 64, false), want,
			  "CTF: ranges of 64 bits");
	snprintf(want, sizeof(want), begins, 64, 1,
		 "\"below\" = -200 ... -1, \"a, b::c\" = 0, "
		 "\"\" = 1 ... 300, \"all\" = -9223372036854775808 ... "
		 "9223372036854775807");
	unit_equal_string(ctf_of(0, 64, true), want,
			  "CTF: signed ranges of 64 bits");

	/* without room nothing is completed */
	text_open(&text, more, 12);
	add_ranges(&text, 0, values, 10, names, sizeof(names));
	unit_check(text.cut, "no room");
}

static void check_errors(void)
{
	/* where the numbers have gaps, and at the ends */
	static const struct {
		uint64_t number;
		const char *word;
	} rows[] = {
		{ EPERM, "PERM" }, { ENOENT, "NOENT" }, { E2BIG, "2BIG" },
		{ EAGAIN, "AGAIN" }, { ERANGE, "RANGE" },
		{ EDEADLK, "DEADLK" }, { ELOOP, "LOOP" }, { 41, "" },
		{ ENOMSG, "NOMSG" }, { EBADSLT, "BADSLT" }, { 58, "" },
		{ EBFONT, "BFONT" }, { EUCLEAN, "UCLEAN" },
		{ ETIMEDOUT, "TIMEDOUT" }, { EOPNOTSUPP, "OPNOTSUPP" },
		{ EHWPOISON, "HWPOISON" }, { 0, "" }, { 134, "" },
		{ UINT64_MAX, "" },
	};
	char name[32];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		unit_equal_string(error_word(rows[i].number), rows[i].word,
				  "an error's name");
		snprintf(name, sizeof(name), "E%s", rows[i].word);
		unit_equal(error_number(name, strlen(name)),
			   *rows[i].word ? rows[i].number : 0,
			   "an error's number");
	}
	unit_equal(error_number("ENOENTS", 7), 0, "a longer name");
	unit_equal(error_number("ENOENTS", 6), ENOENT, "a name's length");
	unit_equal(error_number("XNOENT", 6), 0, "another letter");
}

/* Every length and every damage: nothing beyond the end is read. */
static uint32_t count_of(uint32_t number, uint8_t type)
{
	struct shown_bytes shown = shown_behind(bytes, used);

	return shown_count(&shown, number, type);
}

static void check_counts(void)
{
	const uint8_t ints = TAFFRAIL_T_ARRAY | TAFFRAIL_T_S32;

	begin();
	add(1, TAFFRAIL_HOW_COUNT, 1, TAFFRAIL_ARRAY_BYTES_MAX / 4, 0, "");
	add(2, TAFFRAIL_HOW_COUNT, 1, -1, 0, "");
	add(3, TAFFRAIL_HOW_COUNT, 0, 0, 0, "");
	add(4, TAFFRAIL_HOW_ENUM, 1, 5, 0, "FIVE");
	unit_equal((int)count_of(0, ints), 960, "the largest array");
	unit_equal((int)count_of(0, TAFFRAIL_T_ARRAY | TAFFRAIL_T_F64), 0,
		   "a larger one");
	unit_equal((int)count_of(0, TAFFRAIL_T_ARRAY), 0, "of no type");
	unit_equal((int)count_of(1, ints), 0, "less than none");
	unit_equal((int)count_of(2, ints), 0, "without a value");
	unit_equal((int)count_of(3, ints), 0, "an enumeration's");
	unit_equal((int)count_of(4, ints), 0, "nothing was said");
}

static void check_damaged(void)
{
	uint32_t whole, n, i, found = 0, ranges = 0;

	begin();
	add(2, TAFFRAIL_HOW_ENUM, 3, -1, 3, "LAST, job::IDLE, RUNNING");
	add(1, TAFFRAIL_HOW_ENUM, 2, 0, 1, "A, B");
	add(3, TAFFRAIL_HOW_RANGES, 2, 0, 1, "A to B");
	whole = used;
	for (n = 0; n <= whole; n++) {
		char *copy = malloc(n + 1);
		struct shown_bytes shown;
		struct shown_field field;
		struct shown_name name;

		memcpy(copy, bytes, n);
		shown = shown_behind(copy, n);
		if (shown_find(&field, &shown, 0))
			while (shown_next(&field, &name))
				found++;
		if (shown_find(&field, &shown, 2))
			while (shown_next(&field, &name))
				ranges += (uint32_t)strlen(name.start);
		free(copy);
	}
	/* the first field is there before the third one is */
	unit_equal((int)found, 2 * (8 + 16 + 7 + 1), "cut bytes have no names");
	unit_equal((int)ranges, 6, "nor ranges");
	srand(1);
	for (n = 0; n < 20000; n++) {
		uint32_t at = (uint32_t)rand() % whole;
		char was = bytes[at];

		bytes[at] = (char)rand();
		for (i = 0; i < 3; i++)
			names_of(i);
		bytes[at] = was;
	}
	unit_check(true, "damaged bytes");
}

int main(void)
{
	check_names();
	check_ctf();
	check_ranges();
	check_errors();
	check_counts();
	check_damaged();
	return unit_end();
}
