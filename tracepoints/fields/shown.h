/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How fields are shown, as the bytes behind the texts of a marker say (struct
 * taffrail_shown), above all the names of an enumeration's values.
 *
 * Pure functions without libc, for bytes of unknown origin: they run in the
 * agent and in the command.
 */
#ifndef TRACEPOINTS_FIELDS_SHOWN_H
#define TRACEPOINTS_FIELDS_SHOWN_H

#include <stdint.h>

#include "base/text.h"
#include "include/taffrail/site.h"

/* The bytes; none if the two are equal. */
struct shown_bytes {
	const char *p;
	const char *end;
};

/* Returns the bytes behind the four texts of a marker. SIGSAFE. */
struct shown_bytes shown_behind(const char *texts, uint32_t bytes);
struct shown_bytes shown_of_site(const struct taffrail_site *site);

/* The description of one field; shown_next() takes one name after the other. */
struct shown_field {
	uint8_t how;			/* enum taffrail_how */
	uint16_t count;			/* of values that are left */
	const char *values;		/* not aligned */
	struct shown_bytes names;
};

struct shown_name {
	int64_t value;
	const char *start;
	const char *end;
	int64_t to;			/* the last value that has the name */
};

/* Finds the description of a field, by the number from 0 on. Returns false when
 * there is none. SIGSAFE.
 */
bool shown_find(struct shown_field *field, const struct shown_bytes *shown,
		uint32_t number);

/* Does the same with the first description that says this. SIGSAFE. */
bool shown_find_how(struct shown_field *field, const struct shown_bytes *shown,
		    uint32_t number, uint8_t how);

/* Returns whether a description of the field says this. SIGSAFE. */
bool shown_says(const struct shown_bytes *shown, uint32_t number, uint8_t how);

/* Returns the base, 2, 8 or 16, of an integer or of the elements of an array;
 * or 0: nothing was said. SIGSAFE. */
uint8_t shown_base(const struct shown_bytes *shown, uint32_t number);

/* Returns true when something is shown in this way. SIGSAFE. */
bool shown_has(const struct shown_bytes *shown, uint8_t how);

/* In place of a field's number: the description is of the marker itself. */
#define SHOWN_MARKER	(~0u)

/* Levels are those of syslog, 0 to 6, and of LTTng: 7 to 14 are kinds of debug.
 * A marker without a level is taken for LTTng's default, debug_line. */
#define LEVEL_MAX	14
#define LEVEL_DEFAULT	13
#define LEVEL_NONE	(-1)

/* Returns the level of a marker, or LEVEL_NONE: it does not say one. SIGSAFE.
 */
int shown_level(const struct shown_bytes *shown);

/* Returns the name of a level, from 0 to LEVEL_MAX + 1, which has an empty one.
 * SIGSAFE. */
const char *level_word(int level);

/* Returns the number of elements of an array (TAFFRAIL_T_ARRAY), or 0: they
 * take more than TAFFRAIL_ARRAY_BYTES_MAX, the type is none, or nothing was
 * said. SIGSAFE. */
uint32_t shown_count(const struct shown_bytes *shown, uint32_t number,
		     uint8_t type);

struct field_name;

/* Adds the fields that conditions alone have (TAFFRAIL_HOW_UNWRITTEN) to the n
 * names and types of a marker, up to TAFFRAIL_FIELDS_MAX together. Returns how
 * many there are then. SIGSAFE. */
uint32_t shown_unwritten(const struct shown_bytes *shown,
			 struct field_name *names, uint8_t *types, uint32_t n);

/* Returns the word of a unit, as "ms", if `how` says a duration or a time; else
 * an empty one. SIGSAFE. */
const char *unit_word(uint8_t how);

/* Takes the next name. Returns true, or false: there is none. SIGSAFE. */
bool shown_next(struct shown_field *field, struct shown_name *name);

/* Returns whether a value has the name. SIGSAFE. */
static inline bool shown_covers(const struct shown_name *name, uint64_t value,
				int is_signed)
{
	return is_signed ? (int64_t)value >= name->value &&
				   (int64_t)value <= name->to :
			   value >= (uint64_t)name->value &&
				   value <= (uint64_t)name->to;
}

/*
 * Adds a description to the bytes behind a marker's texts: shown_begin() adds
 * the head, and returns where it is; the caller adds `count` values of 64 bits
 * and then the names, by text_add_bytes(); shown_end() completes the head. When
 * text->cut is set at the end, the bytes are not to be used. SIGSAFE.
 */
size_t shown_begin(struct text *text, uint32_t number, uint8_t how,
		   uint16_t count);
void shown_end(struct text *text, size_t begin);

#endif
