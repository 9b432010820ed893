/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions as text, EXPR of a rule's `if EXPR`, compiled for the fields of
 * one marker to the bytecode of tracepoints/conditions/ax.h.
 *
 *	EXPR	 comparisons, arithmetic and logic as in C, with C's precedence
 *		 (highest first):  - + ! ~   * / %   + -   << >>
 *		 < <= > >=   == != ~ !~   &   ^   |   &&   ||
 *	NUMBER	 10  0x1f  017  'a'  '\n'  2.5  1e-3; suffixes u, l, f;
 *		 decimal with a unit, ns, us, ms or s: 2.5ms
 *	TEXT	 "..." with C's escapes; no NUL in it
 *	NAME	 a field; or a context, if no field has its name: vtid, vpid,
 *		 procname (the thread's name, at most 15 bytes), cpu or cpu_id,
 *		 pthread_id, ip (the address of the hit); or the marker's
 *		 level, a number; behind `level` the name of a level; or an
 *		 enumerator, first of the field that stands before it, which
 *		 may be the name of several values
 *	$NAME	 a context, or the level, also where a field has its name; or
 *		 $id, the marker's id, a string; $ctx.NAME is the same
 *
 * Integers have 64 bits. They are signed, except fields of u64 and pointers,
 * numbers too large for that, and numbers with the suffix u. They are compared
 * by value: -1 is less than any unsigned number. Arithmetic is C's, of 64 bits:
 * it wraps, and is unsigned when one side is. A shift by more than 63 shifts
 * all bits out. With a float on one side the other side is converted; all
 * floats are doubles. A comparison with a NaN is false, except != .
 *
 * A number with a unit becomes the constant that it is in the unit of the other
 * side: exactly an integer, or else a double. The other side has a unit if it
 * is a field that has one, or such fields with + - * / %, of one unit.
 *
 * A name of several values is compared by == and != only: whether the other
 * side is one of them. A field whose values have names may be compared so with
 * a TEXT that is one of the names: such a name may have any characters.
 *
 * A string is compared with a TEXT: == and != exactly, ~ and !~ with a glob
 * (base/glob.h; the glob is on the right). Strings cannot be ordered
 * and are no truth values.
 *
 * v[2] is an element of a sequence or array v, and U.OPTION the value of a
 * field U.value of several types (TAFFRAIL_HOW_VARIANT), where the field before
 * it numbers the option. A comparison, or truth value, with a part that is not
 * there is false.
 *
 * Refused, because C's meaning is seldom meant: comparisons that chain (1 < a
 * < 5), & ^ | beside a comparison without parentheses, a constant divisor
 * that is 0, a constant shift by more than 63 or less than 0.
 *
 * In an event of a line ("line/..."), whose last field is `unread` and has a bit
 * for each field before it that could not be read, truth is three-valued: a
 * value that is made of such a field is unknown, as in Kleene's logic. A
 * condition that is unknown ends as one that divides by zero.
 *
 * Facts of a marker are decided when the condition is compiled: `level <=
 * warning` and `$id ~ "app/x*"` become 1 or 0. An id is compared as rules are: a
 * text without a '/' has one in place of its first ':', and "fn:GLOB" and
 * "line:PLACE" are rules, also behind == and !=.
 *
 * && and || do not evaluate their right side when the left side decides; if it
 * decides when the condition is compiled, the right side may name fields that
 * the marker does not have. A condition that divides by zero does not hold.
 *
 * Pure functions without allocation and without libc: they run in the agent
 * and in the command, on text of unknown origin.
 */
#ifndef TRACEPOINTS_CONDITIONS_EXPR_H
#define TRACEPOINTS_CONDITIONS_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/shown.h"

/* A marker's fields: names (fields_parse()), and types as they are recorded
 * (shape_types()). The contexts of a recorded event are among its fields. */
struct expr_fields {
	const struct field_name *names;
	const uint8_t *types;
	uint32_t n;
	struct shown_bytes shown;
	const char *id;			/* "channel/name", or NULL: unknown */
	bool recorded;
	/* of recorded fields the numbers in the event, and the one that has
	 * bits for them; or NULL */
	const uint8_t *numbers;
	uint8_t unread;
};

/* A fault: a short fact, and the byte of the text, from 1 on. */
struct expr_error {
	uint32_t column;
	char fact[120];
};

/* The most code that a text of n bytes can make. */
#define EXPR_CODE_BYTES(n)	(16 * (size_t)(n) + 32)

/*
 * Compiles `text`, which ends with NUL. Returns the bytes of the program in
 * code[]; or, with *error set, -EINVAL: the text is no condition; -ENOENT: this
 * marker has no such field; -ESRCH: the types of the fields do not allow these
 * operations; -ENOSPC: code[] is too small, or the text too long for
 * AX_CODE_MAX. The program ends with a result, and jumps only forward. Any
 * thread; SIGSAFE.
 */
int expr_compile(const char *text, const struct expr_fields *fields,
		 uint8_t *code, size_t size, struct expr_error *error);

/* Says of which marker the fields are that an error lists: for a rule that
 * names more than one. Any thread; SIGSAFE. */
void expr_error_whose(struct expr_error *error, const char *id);

/*
 * Checks whether `text` could be compiled for some marker: a name may be a
 * field of any type. Returns 0, or -EINVAL with *error set. Any thread;
 * SIGSAFE.
 */
int expr_check(const char *text, struct expr_error *error);

/* Tells whether a name stands in a text that expr_check() has found valid. Any
 * thread; SIGSAFE. */
bool expr_names(const char *text, const char *name);

/* Tells whether such a text names nothing but the thread, the process and the
 * frame, which a function's entry and return share. Any thread; SIGSAFE. */
bool expr_shared(const char *text);

#endif
