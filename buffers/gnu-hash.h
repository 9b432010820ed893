/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The hash table of an ELF file's dynamic symbols (DT_GNU_HASH). Facts: GNU
 * binutils, ld's --hash-style=gnu; no other table tells how many symbols there
 * are:
 *
 *	number of buckets, first symbol, number of bloom words, shift
 *	bloom words, 8 bytes each
 *	buckets: the first symbol of each, or 0
 *	chains: a word a symbol, from the first one on; the last one of a
 *	bucket's is odd
 */
#ifndef BUFFERS_GNU_HASH_H
#define BUFFERS_GNU_HASH_H

#include <stdint.h>

#define GNU_HASH_HEAD	4	/* words */

/* Returns the number of the buckets' first word, by the table's head. SIGSAFE.
 */
static inline uint64_t gnu_hash_buckets(const uint32_t *hash)
{
	return GNU_HASH_HEAD + 2 * (uint64_t)hash[2];
}

/* Returns one more than the highest symbol that a linker's table in memory
 * names. SIGSAFE. */
static inline uint32_t gnu_hash_count(const uint32_t *hash)
{
	const uint32_t *buckets = hash + gnu_hash_buckets(hash);
	const uint32_t *chains = buckets + hash[0];
	uint32_t last = 0;
	uint32_t i;

	for (i = 0; i < hash[0]; i++)
		if (buckets[i] > last)
			last = buckets[i];
	if (last < hash[1])
		return hash[1];
	while (!(chains[last - hash[1]] & 1))
		last++;
	return last + 1;
}

#endif
