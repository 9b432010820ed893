/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Index files of CTF streams: index/STREAM.idx (form: buffers/ctf.h).
 */
#ifndef TRACES_IDX_H
#define TRACES_IDX_H

#include <stdbool.h>
#include <stdint.h>

#include "buffers/ctf.h"
#include "buffers/layout.h"

/* Fills in a header in file byte order, of entries with a checksum. */
void idx_header_encode(struct ctf_index_header *header);

/* Fills in an entry in file byte order, for a packet at `offset` bytes and the
 * checksum of its events. */
void idx_entry_encode(struct ctf_index_entry *entry,
		      const struct packet_head *head, uint64_t offset,
		      uint64_t checksum);

/*
 * Compares entry `n` of an index of so many bytes with a packet. Returns 0;
 * -ENOENT: the index ends before it; -EBADMSG: the packet has another head;
 * -EILSEQ: the packet has other events.
 */
int idx_compare(const void *idx, size_t bytes, uint64_t n,
		const struct ctf_index_entry *entry);

/* Checks a header in file byte order. Returns 0; -EPROTO: the entries have no
 * checksum; -EBADMSG: the header is unknown. */
int idx_header_check(const struct ctf_index_header *header);

/* Reads entry `n` of an index into host byte order. The index has more than n
 * entries. */
void idx_entry_get(const void *idx, size_t n, struct ctf_index_entry *entry);

/* Returns whether each of `n` entries is where the one before it ends, in the
 * file and in time. */
bool idx_is_sound(const void *idx, size_t n);

#endif
