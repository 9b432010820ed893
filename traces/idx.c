/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encodes index files of CTF streams. Their integers are big endian.
 *
 * Invariant: the forms are those of buffers/ctf.h, byte for byte; an entry is
 * ten words of eight bytes.
 */
#include "traces/idx.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/base.h"

_Static_assert(sizeof(struct ctf_index_header) == 16, "index header");
_Static_assert(sizeof(struct ctf_index_entry) == 80, "index entry");

void idx_header_encode(struct ctf_index_header *header)
{
	header->magic = htobe32(CTF_INDEX_MAGIC);
	header->major = htobe32(CTF_INDEX_MAJOR);
	header->minor = htobe32(CTF_INDEX_MINOR);
	header->entry_bytes = htobe32(sizeof(struct ctf_index_entry));
}

void idx_entry_encode(struct ctf_index_entry *entry,
		      const struct packet_head *head, uint64_t offset,
		      uint64_t checksum)
{
	entry->offset = htobe64(offset);
	entry->packet_size = htobe64(head->packet_size);
	entry->content_size = htobe64(head->content_size);
	entry->timestamp_begin = htobe64(head->timestamp_begin);
	entry->timestamp_end = htobe64(head->timestamp_end);
	entry->events_discarded = htobe64(head->events_discarded);
	entry->stream_id = htobe64(head->stream_id);
	entry->stream_instance_id = htobe64(head->stream_instance_id);
	entry->packet_seq_num = htobe64(head->packet_seq_num);
	entry->checksum = htobe64(checksum);
}

int idx_compare(const void *idx, size_t bytes, uint64_t n,
		const struct ctf_index_entry *entry)
{
	uint64_t at = sizeof(struct ctf_index_header) + n * sizeof(*entry);
	struct ctf_index_entry own;

	if (at + sizeof(own) > bytes)
		return -ENOENT;
	memcpy(&own, (const char *)idx + at, sizeof(own));
	/* the head first: events of another packet prove nothing */
	if (memcmp(&own, entry, offsetof(struct ctf_index_entry, checksum)))
		return -EBADMSG;
	return own.checksum == entry->checksum ? 0 : -EILSEQ;
}

int idx_header_check(const struct ctf_index_header *header)
{
	struct ctf_index_header wanted;

	idx_header_encode(&wanted);
	if (header->magic != wanted.magic || header->major != wanted.major ||
	    header->minor != wanted.minor)
		return -EBADMSG;
	if (header->entry_bytes == htobe32(CTF_INDEX_PLAIN_BYTES))
		return -EPROTO;
	return header->entry_bytes == wanted.entry_bytes ? 0 : -EBADMSG;
}

void idx_entry_get(const void *idx, size_t n, struct ctf_index_entry *entry)
{
	uint64_t words[sizeof(*entry) / sizeof(uint64_t)];

	memcpy(words, (const char *)idx + sizeof(struct ctf_index_header) +
		      n * sizeof(words), sizeof(words));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = be64toh(words[i]);
	memcpy(entry, words, sizeof(words));
}

bool idx_is_sound(const void *idx, size_t n)
{
	struct ctf_index_entry entry = { 0 }, last;

	for (size_t i = 0; i < n; i++) {
		last = entry;
		idx_entry_get(idx, i, &entry);
		if (entry.timestamp_end < entry.timestamp_begin ||
		    entry.timestamp_begin < last.timestamp_end ||
		    entry.offset != last.offset + last.packet_size / 8 ||
		    (i && entry.packet_seq_num != last.packet_seq_num + 1))
			return false;
	}
	return true;
}
