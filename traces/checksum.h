/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The checksum that ends a trace's texts, the metadata and the ledger, and that
 * of other bytes.
 */
#ifndef TRACES_CHECKSUM_H
#define TRACES_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Writes `text`, and behind it a line with the text's CRC-32: `before`, eight
 * digits, `after`, newline. Failures show in ferror().
 */
void checksum_write(FILE *out, const char *text, size_t bytes,
		    const char *before, const char *after);

/* Returns whether a text ends with such a line, and the number is right.
 * `bytes` becomes the size without that line. */
bool checksum_right(const char *text, size_t *bytes, const char *before,
		    const char *after);

/* Returns a number that differs if one word of the bytes differs, or `seed`; if
 * more differ, it is the same by chance only. It is fast: all packets pass. */
uint64_t checksum_bytes(uint64_t seed, const void *data, size_t bytes);

#endif
