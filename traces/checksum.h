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

/*
 * Appends to a text of the heap a line with the text's CRC-32: `before`, eight
 * digits, `after`, newline. The text may move; *bytes becomes the new size.
 * Returns 0; or -ENOMEM, and the text is as it was.
 */
int checksum_append(char **text, size_t *bytes, const char *before,
		    const char *after);

/* Returns whether a text ends with such a line, and the number is right.
 * `bytes` becomes the size without that line. */
bool checksum_right(const char *text, size_t *bytes, const char *before,
		    const char *after);

/* Returns a number that differs if one word of the bytes differs, or `seed`; if
 * more differ, it is the same by chance only. It is fast: all packets pass. */
uint64_t checksum_bytes(uint64_t seed, const void *data, size_t bytes);

#endif
