/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts and durations in sentences: "1 event", "2 events", "2.41 s".
 */
#ifndef COMMAND_COMMON_COUNTED_H
#define COMMAND_COMMON_COUNTED_H

#include <stddef.h>
#include <stdint.h>

/* Returns the count and its noun, which is given in the singular. The text
 * lasts until the eighth call from here. */
const char *counted(uint64_t count, const char *noun);

/* Returns a verb that agrees with the count: "is" or "are". */
static inline const char *agreed(uint64_t count, const char *one,
				 const char *more)
{
	return count == 1 ? one : more;
}

/* Writes nanoseconds with three digits and a unit, as a text that ends in a
 * NUL; it is cut where there is no room. */
void counted_duration(char *text, size_t room, long double ns);

#endif
