/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the formats.
 */
#ifndef TRACES_FORMATS_PRIVATE_H
#define TRACES_FORMATS_PRIVATE_H

#include "traces/formats/formats.h"

extern const struct export_format export_json;
extern const struct export_format export_csv;
extern const struct export_format export_perfetto;
extern const struct export_format export_sqlite;
extern const struct export_format export_folded;

/* Keeps the reason of a failure. Returns `ret`. */
int export_failed(struct exporter *x, int ret, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Does so for an errno of the output. 0 is no failure. */
int export_unwritten(struct exporter *x, int ret);

#endif
