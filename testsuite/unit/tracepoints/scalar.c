/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rows of scalar types (tracepoints/fields/fields.def) as
 * tracepoints/fields/scalar.h gives them, and numbers that are no type.
 */
#include "testsuite/unit/unit.h"

#include "base/text.h"
#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/scalar.h"
#include "traces/tsdl/tsdl.h"

static const struct row {
	const char *name;
	uint8_t abi;			/* of site.h */
	uint8_t number;
	enum scalar_sort sort;
	uint32_t bytes;
	const char *word;
} rows[] = {
#define FIELD_SCALAR(name, number, sort, bytes, c, word, ...)		\
	{ #name, TAFFRAIL_T_##name, number, SCALAR_##sort, bytes, word },
#include "tracepoints/fields/fields.def"
};

#define ROWS	(sizeof(rows) / sizeof(*rows))

static const char *word_of(uint8_t type)
{
	static char buffer[32];
	struct text text;

	text_open(&text, buffer, sizeof(buffer));
	field_type_add(&text, type);
	return buffer;
}

/* Returns -2, as the type's bytes say it. */
static int64_t less_two(const struct row *row)
{
	uint64_t all = ~0ull >> (64 - 8 * row->bytes);

	return row->sort == SCALAR_SIGNED ? -2 : (int64_t)(all - 1);
}

static void test_row(const struct row *row)
{
	char bytes[8] = "";
	const struct scalar *ctf = scalar_of(row->number);
	int same = 0;

	for (size_t i = 0; i < ROWS; i++)
		same += rows[i].number == row->number ||
			(rows[i].sort == row->sort &&
			 rows[i].bytes == row->bytes);
	unit_equal(same, 1, "%s: no other row is alike", row->name);
	unit_equal(row->number, row->abi, "%s: number", row->name);
	unit_equal(scalar_bytes(row->number), row->bytes, "%s: bytes",
		   row->name);
	unit_equal(scalar_bytes(TAFFRAIL_T_SEQUENCE | row->number), row->bytes,
		   "%s: bytes of an element", row->name);
	unit_equal(scalar_sort(row->number), row->sort, "%s: sort", row->name);
	unit_equal(scalar_of_sort(row->sort, row->bytes), row->number,
		   "%s: found by sort and bytes", row->name);
	unit_equal((int64_t)scalar_extend(row->number, ~1ull), less_two(row),
		   "%s: extended", row->name);
	unit_equal(scalar_put(bytes, ~0ull, row->bytes) - bytes,
		   (int)row->bytes, "%s: packed", row->name);
	unit_check(!strcmp(word_of(row->number), row->word), "%s: word",
		   row->name);
	unit_check(ctf && ctf->bytes == row->bytes &&
		   !ctf->exponent == (row->sort != SCALAR_REAL),
		   "%s: CTF", row->name);
}

int main(void)
{
	for (size_t i = 0; i < ROWS; i++)
		test_row(&rows[i]);
	unit_equal(scalar_bytes(0), 0, "0: bytes");
	unit_equal(scalar_sort(0), SCALAR_NONE, "0: sort");
	unit_equal(scalar_sort(TAFFRAIL_T_SCALAR_MASK), SCALAR_NONE,
		   "a number without a row: sort");
	unit_equal(scalar_sort(TAFFRAIL_T_STRING), SCALAR_NONE,
		   "a string: sort");
	unit_equal(scalar_sort(TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U8),
		   SCALAR_NONE, "a sequence: sort");
	unit_equal(scalar_of_sort(SCALAR_REAL, 1), 0, "no real of a byte");
	unit_equal(scalar_of_sort(SCALAR_SIGNED, 16), 0, "nothing of 16 bytes");
	unit_check(!strcmp(word_of(TAFFRAIL_T_SCALAR_MASK), "unknown"),
		   "a number without a row: word");
	unit_check(!scalar_of(TAFFRAIL_T_SCALAR_MASK),
		   "a number without a row: CTF");
	return unit_end();
}
