/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Facts of the Common Trace Format 1.8 (specification of diamon.org, v1.8.3)
 * and of the .idx files of LTTng (index format 1.1), as babeltrace2 2.0 reads
 * them. Nothing here is ours to choose.
 */
#ifndef BUFFERS_CTF_H
#define BUFFERS_CTF_H

#include <stdint.h>

#define CTF_PACKET_MAGIC	0xC1FC1FC1u
#define CTF_INDEX_MAGIC		0xC1F1DCC1u
#define CTF_INDEX_MAJOR		1
#define CTF_INDEX_MINOR		1

/*
 * Compact event header, 32 bits: 5-bit id, 27-bit clock. Id 30 announces a u16
 * id behind these, the wide header; id 31 the extended one. The 5-bit id has a
 * whole byte there: byte 31, u32 id, u64 clock = 13 bytes.
 */
#define CTF_COMPACT_BYTES	4
#define CTF_COMPACT_ID_BITS	5
#define CTF_COMPACT_ID_WIDE	30u
#define CTF_COMPACT_ID_EXTENDED	31u
#define CTF_COMPACT_CLOCK_BITS	27
#define CTF_COMPACT_EXT_BYTES	13
#define CTF_WIDE_BYTES		6
#define CTF_WIDE_IDS		65536u

/* Earlier builds had no wide header, and compact ids up to 30; or, in sessions
 * with more than 31 types, a large header, 48 bits: u16 id, u32 clock; id 65535
 * is extended. */
#define CTF_LARGE_BYTES		6
#define CTF_LARGE_ID_EXTENDED	65535u
#define CTF_LARGE_CLOCK_BITS	32
#define CTF_LARGE_EXT_BYTES	14

/* index/STREAM.idx, big endian. Readers take the size of an entry from the
 * header; LTTng's entries end before `checksum`. */
struct ctf_index_header {
	uint32_t magic;
	uint32_t major;
	uint32_t minor;
	uint32_t entry_bytes;
};

struct ctf_index_entry {
	uint64_t offset;		/* bytes */
	uint64_t packet_size;		/* bits */
	uint64_t content_size;		/* bits */
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t events_discarded;
	uint64_t stream_id;
	uint64_t stream_instance_id;
	uint64_t packet_seq_num;
	uint64_t checksum;		/* of cpu_id and the events */
};

#define CTF_INDEX_PLAIN_BYTES	72	/* of an entry without it */

#endif
