/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Colours of text, as babeltrace2 uses them, and integers with a unit.
 */
#ifndef TRACES_TEXT_PRIVATE_H
#define TRACES_TEXT_PRIVATE_H

#include "traces/read/classes.h"
#include "traces/text/out.h"

#define COLOR_NONE	"\033[0m"
#define COLOR_BOLD	"\033[1m"
#define COLOR_CYAN	"\033[36m"
#define COLOR_RED	"\033[91m"
#define COLOR_MAGENTA	"\033[95m"
#define COLOR_YELLOW	"\033[93m"

/* Writes an integer in the base of the class. */
void field_text_number(struct out *out, const struct field_class *class,
		       uint64_t value);

/* Writes an integer that has a unit as a person wants to read it: 1.5 ms, or
 * 2026-11-26T08:00:00.5Z. Returns false where it has none. */
bool unit_text_put(struct out *out, const struct field_class *class,
		   uint64_t value);

/* Writes an escape sequence, if the text has colours. */
static inline void put_color(struct out *out, bool color, const char *which)
{
	if (color)
		out_text(out, which);
}

#endif
