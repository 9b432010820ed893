/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Variants in CTF metadata: unions by tag, and std::variant. The marker records
 * two fields for one, "tag" and "value" (TAFFRAIL_HOW_VARIANT).
 */
#ifndef TRACES_TSDL_OPTION_H
#define TRACES_TSDL_OPTION_H

#include <stdbool.h>
#include <stdio.h>

#include "buffers/reader/reader.h"
#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/shown.h"

/* Returns whether fields i and i + 1 are a variant with names that begin `at`
 * characters from the start; sets *field to the statement on the options. */
bool variant_find(struct shown_field *field, const struct event_view *event,
		  const struct field_name *names, int i, size_t at);

/* Writes both: an enumeration, and the variant that it chooses from. */
void variant_put(FILE *out, struct shown_field field);

#endif
