/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of debug information: symbols of a file that was stripped. They are
 * those of the file if both have the same build id.
 *
 * Invariant: the files are not trusted. Nothing outside them is read.
 */
#ifndef TRACEPOINTS_USDT_PLAN_DEBUG_H
#define TRACEPOINTS_USDT_PLAN_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "tracepoints/usdt/plan/note.h"

#define USDT_BUILD_ID_MAX	64u

/* Returns the build id of a file, or NULL; in *bytes, the length. */
const uint8_t *usdt_build_id(const struct usdt_file *file, uint32_t *bytes);

/* Returns true if both files have a build id, and the same one. */
bool usdt_same_build(const struct usdt_file *one,
		     const struct usdt_file *other);

/* Returns true if a file has a table of all symbols (.symtab). */
bool usdt_has_symbols(const struct usdt_file *file);

/* Decodes the symbols that a stripped file has in .gnu_debugdata ("mini debug
 * information"): those of functions that it does not export. Maps memory for
 * the table, which is an ELF file; the caller gives it to usdt_mini_close().
 * Returns false if there is none, or it is damaged. */
bool usdt_mini_open(struct usdt_file *mini, const struct usdt_file *file);
void usdt_mini_close(struct usdt_file *mini);

/* Returns the bytes of a section with this name, or NULL; in *bytes, how many
 * there are. */
const uint8_t *usdt_section(const struct usdt_file *file, const char *name,
			    uint64_t *bytes);

#endif
