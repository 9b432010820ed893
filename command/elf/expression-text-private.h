/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The text of an expression in a rule for a line: where it ends. The text is
 * any; nothing here fails. Any thread.
 */
#ifndef COMMAND_ELF_EXPRESSION_TEXT_PRIVATE_H
#define COMMAND_ELF_EXPRESSION_TEXT_PRIVATE_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline const char *blanks_skip(const char *p)
{
	return p + strspn(p, " \t");
}

/* Tells whether a character may be one of a name. */
static inline bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns the end of a variable with members at `p`. `simple`: it has none. */
const char *expression_chain(const char *p, bool *simple);

/*
 * Returns the end of an expression at `p` of which a condition takes the value
 * as a field, or `p`: a variable, with `*`, `&` and casts before it; or text in
 * parentheses with these before it, or members behind.
 */
const char *expression_end(const char *p, bool *simple);

struct field_name;

/* Returns the column, from 1 on, of a comparison that no number of the field's
 * type meets, as "n > 300" of a byte, if the condition needs that one to be
 * met; else 0. Fields have so many bits, unless that is 0. The condition
 * compiles. */
uint32_t condition_never(const char *condition, const struct field_name *names,
			 const uint8_t *types, const uint8_t *widths,
			 uint32_t n);

#endif
