/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes and checks the last line of a trace's texts. The number is the CRC-32
 * of zlib and gzip, over all bytes before that line. Packets have a sum of
 * words instead, which takes a tenth of the time.
 *
 * Invariant: the checksum tells of damage, not of intent. A reader still checks
 * the text itself.
 */
#include "traces/checksum.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLYNOMIAL	0xedb88320u
#define LINE_BYTES	80
#define LANES		4
#define FACTOR		0x9e3779b97f4a7c15ull

/* Computes the CRC by half bytes: a table of 16 words is made in each call, so
 * a text costs no memory that stays. */
static uint32_t text_crc32(const char *text, size_t bytes)
{
	uint32_t table[16];
	uint32_t crc = ~0u;

	for (uint32_t i = 0; i < 16; i++) {
		table[i] = i;
		for (int bit = 0; bit < 4; bit++)
			table[i] = table[i] >> 1 ^
				   (table[i] & 1 ? POLYNOMIAL : 0);
	}
	for (size_t at = 0; at < bytes; at++) {
		crc ^= (unsigned char)text[at];
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}

/* Makes the line behind a text, with the newline. Returns the length, which is
 * below LINE_BYTES for the words of this command. */
static size_t make_line(char *line, const char *text, size_t bytes,
			const char *before, const char *after)
{
	return (size_t)snprintf(line, LINE_BYTES, "%s%08x%s\n", before,
				text_crc32(text, bytes), after);
}

int checksum_append(char **text, size_t *bytes, const char *before,
		    const char *after)
{
	char *more = realloc(*text, *bytes + LINE_BYTES);

	if (!more)
		return -ENOMEM;
	*text = more;
	*bytes += make_line(more + *bytes, more, *bytes, before, after);
	return 0;
}

bool checksum_right(const char *text, size_t *bytes, const char *before,
		    const char *after)
{
	size_t n = strlen(before) + 8 + strlen(after) + 1;
	char line[LINE_BYTES];

	if (n > *bytes || n >= sizeof(line))
		return false;
	*bytes -= n;
	/* a text has no NUL: most of a large file may be a hole, which costs
	 * no time then */
	if (strnlen(text, *bytes) < *bytes)
		return false;
	make_line(line, text, *bytes, before, after);
	return !memcmp(text + *bytes, line, n);
}

/* For a fixed word each step is a bijection of the sum, and the other way
 * round: so a single word that differs is always seen. */
static uint64_t sum_mix(uint64_t sum, uint64_t word)
{
	sum ^= word;
	return (sum << 29 | sum >> 35) * FACTOR;
}

uint64_t checksum_bytes(uint64_t seed, const void *data, size_t bytes)
{
	uint64_t sums[LANES] = { seed, 1, 2, 3 };
	uint64_t words[LANES];
	const char *at = data;
	size_t left;

	for (left = bytes; left >= sizeof(words); left -= sizeof(words)) {
		memcpy(words, at, sizeof(words));
		at += sizeof(words);
		for (int i = 0; i < LANES; i++)
			sums[i] = sum_mix(sums[i], words[i]);
	}
	memset(words, 0, sizeof(words));
	memcpy(words, at, left);
	for (int i = 1; i < LANES; i++)
		sums[0] = sum_mix(sums[0], sums[i]);
	for (int i = 0; i < LANES; i++)
		sums[0] = sum_mix(sums[0], words[i]);
	return sum_mix(sums[0], bytes);
}
