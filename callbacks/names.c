/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names that a marker gives to values: of TAFFRAIL_ENUM, TAFFRAIL_BOOL,
 * TAFFRAIL_ERRNO.
 */
#include <stdbool.h>

#include "base/text.h"
#include "callbacks/private.h"
#include "include/taffrail/probe.h"
#include "tracepoints/fields/errors.h"
#include "tracepoints/fields/shown.h"

#define NEGATIVE(name)	"-E" #name "\0"
#define PUBLIC		__attribute__((visibility("default")))

/* The marker of an event is the first part of a struct known. */
PUBLIC int
taffrail_field_name_of_value(const struct taffrail_event *event, int field,
			     const char **name, size_t *length)
{
	const struct known *known = (const void *)event->marker_;
	struct shown_field shown;
	const char *word = ERROR_NAMES(NEGATIVE);
	struct shown_name next;
	uint64_t value, number;
	bool negative, is_signed = false;

	/* as taffrail_shown has it: signed ones with their sign in 64 bits */
	switch (taffrail_field_kind_(event, field)) {
	case TAFFRAIL_PLACE_SIGNED_:
		value = (uint64_t)taffrail_field_signed_(event, field);
		is_signed = true;
		break;
	case TAFFRAIL_PLACE_UNSIGNED_:
		value = taffrail_field_unsigned_(event, field);
		break;
	default:
		return 0;
	}
	if (!shown_find(&shown, &known->shown, (uint32_t)field))
		return 0;
	if (shown.how == TAFFRAIL_HOW_BOOL && value < 2) {
		*name = value ? "true" : "false";
		*length = value ? 4 : 5;
		return 1;
	}
	if (shown.how == TAFFRAIL_HOW_ERRNO) {
		/* of an error, or of the negative number of an error */
		negative = (int64_t)value < 0;
		number = negative ? 0 - value : value;
		if (!number || number > ERROR_MAX)
			return 0;
		while (--number)
			word += text_length(word) + 1;
		*name = negative ? word : word + 1;
		*length = text_length(*name);
		return word[2] != 0;
	}
	while (shown_next(&shown, &next)) {
		if (!shown_covers(&next, value, is_signed))
			continue;
		*name = next.start;
		*length = (size_t)(next.end - next.start);
		return 1;
	}
	return 0;
}
