/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the files of a stream: packets, and their index.
 *
 * Invariant: a stream file can be read whenever the command is
 * killed; its index has its final name only when it covers the whole file.
 *
 * A growing file is longer than its packets, and its last packet calls the rest
 * of the file its padding:
 *
 *	| packet 1 | packet 2 | padding of packet 2 ............... |
 *
 * The next packet is written into that padding, and calls the rest of the file
 * its own padding. A reader does not see it until one store of eight bytes ends
 * the padding of packet 2. The first packet is written to a file that has
 * another name until then. Only two places need two steps of which both must be
 * done: where the file is made longer, once in RESERVE_BYTES, and where it is
 * cut at its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/checksum.h"
#include "traces/idx.h"
#include "traces/private.h"

#define CTF_HEAD_BYTES	(PACKET_HEAD_BYTES - PACKET_PRIVATE_BYTES)
#define SIZE_OFFSET	(offsetof(struct packet_head, packet_size) - \
			 PACKET_PRIVATE_BYTES)
#define RESERVE_BYTES	(16u << 20)	/* a hole: takes no blocks */

/* Returns the part of a head that a file has. */
static const void *ctf_part(const struct packet_head *head)
{
	return (const char *)head + PACKET_PRIVATE_BYTES;
}

/* Makes a file that is not there yet. Returns a descriptor or -errno. */
static int file_create(struct trace *trace, const char *name)
{
	int fd = openat(trace->fd, name,
			O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			0666);

	return fd < 0 ? -errno : fd;
}

/* Makes the name of a file without packets: babeltrace2 ignores such names. */
static void hidden_name(const struct trace_stream *stream, char *name,
			size_t room)
{
	snprintf(name, room, ".%s", stream->file);
}

/* Removes a file that no reader has seen, and its index. */
static void file_abandon(struct trace_stream *stream)
{
	char name[64];

	if (stream->idx >= 0) {
		trace_idx_name(stream->file, ".new", name, sizeof(name));
		unlinkat(stream->trace->fd, name, 0);
		close(stream->idx);
	}
	if (stream->fd >= 0) {
		hidden_name(stream, name, sizeof(name));
		unlinkat(stream->trace->fd, name, 0);
		close(stream->fd);
	}
	stream->fd = -1;
	stream->idx = -1;
}

/* Makes the file and the index of a stream, both under names that readers
 * ignore. Returns 0 or -errno; after a failure nothing is left. */
static int create_files(struct trace_stream *stream)
{
	struct ctf_index_header header;
	char name[64];
	int ret;

	if (stream->trace->set->limit)
		snprintf(stream->file, sizeof(stream->file), "%s_%u",
			 stream->name, stream->chunks);
	hidden_name(stream, name, sizeof(name));
	stream->fd = file_create(stream->trace, name);
	if (stream->fd < 0)
		return stream->fd;
	stream->room = 0;
	trace_idx_name(stream->file, ".new", name, sizeof(name));
	stream->idx = file_create(stream->trace, name);
	ret = stream->idx;
	if (ret >= 0) {
		idx_header_encode(&header);
		ret = trace_write_at(stream->idx, &header, sizeof(header), 0);
	}
	if (ret < 0)
		file_abandon(stream);
	return ret < 0 ? ret : 0;
}

/* Returns the length of the index. */
static uint64_t idx_bytes(const struct trace_stream *stream)
{
	return (uint64_t)lseek(stream->idx, 0, SEEK_END);
}

/* Writes the size of the last visible packet, which ends at `end` with the
 * padding. Eight bytes at once: a reader sees the old size or the new one.
 * Returns 0 or -errno. */
static int file_declare(struct trace_stream *stream, uint64_t end)
{
	uint64_t bits = (end - stream->last_offset) * 8;

	return trace_write_at(stream->fd, &bits, sizeof(bits),
			      stream->last_offset + SIZE_OFFSET);
}

bool trace_file_spoilt(const struct trace_stream *stream)
{
	struct stat st;

	return stream->fd >= 0 && stream->offset &&
	       !fstat(stream->fd, &st) &&
	       (!st.st_nlink || (uint64_t)st.st_size < stream->room);
}

/* Makes the file as long as `end`, or longer. Returns 0 or -errno; -ESTALE:
 * another program spoilt the file, and would see it whole again. */
static int make_room(struct trace_stream *stream, uint64_t end)
{
	uint64_t room = end + RESERVE_BYTES;

	if (end <= stream->room)
		return 0;
	/* made longer again, it would look whole */
	if (trace_file_spoilt(stream))
		return -ESTALE;
	if (ftruncate(stream->fd, (off_t)room)) {
		/* the file may not be that long: only the bytes needed */
		room = end;
		if (ftruncate(stream->fd, (off_t)room))
			return -errno;
	}
	stream->room = room;
	return stream->offset ? file_declare(stream, room) : 0;
}

/* Cuts the file behind the last packet. Returns 0 or -errno. */
static int file_seal(struct trace_stream *stream)
{
	if (stream->room == stream->offset)
		return 0;
	stream->room = stream->offset;
	if (ftruncate(stream->fd, (off_t)stream->offset))
		return -errno;
	return file_declare(stream, stream->offset);
}

/*
 * Writes a packet behind the last one, and the entry of the index, before
 * readers can see the packet. Returns 0; or -errno, and the file is as it was:
 * a packet of which only a part could be written is removed.
 */
static int file_append(struct trace_stream *stream, const struct packet *packet,
		       const struct packet_head *head, uint64_t checksum)
{
	uint64_t end = stream->offset + CTF_HEAD_BYTES + packet->event_bytes;
	struct packet_head padded = *head;
	struct iovec iov[2] = {
		{ (void *)ctf_part(&padded), CTF_HEAD_BYTES },
		{ (void *)packet->events, packet->event_bytes },
	};
	int directory = stream->trace->fd;
	struct ctf_index_entry entry;
	uint64_t idx = idx_bytes(stream);
	char name[64];
	int ret = make_room(stream, end);
	int undone = 0;

	padded.packet_size = (stream->room - stream->offset) * 8;
	if (!ret)
		ret = trace_write_all(stream->fd, iov,
				      packet->event_bytes ? 2 : 1,
				      stream->offset);
	idx_entry_encode(&entry, head, stream->offset, checksum);
	if (!ret)
		ret = trace_write_at(stream->idx, &entry, sizeof(entry), idx);
	/* only now visible: by the size of the packet before, or the name */
	if (!ret && stream->offset) {
		ret = file_declare(stream, stream->offset);
	} else if (!ret) {
		hidden_name(stream, name, sizeof(name));
		if (renameat(directory, name, directory, stream->file))
			ret = -errno;
	}
	if (!ret)
		return 0;
	if (stream->offset)
		undone = file_seal(stream);
	if (ftruncate(stream->idx, (off_t)idx))
		undone = -errno;
	if (!stream->offset)
		file_abandon(stream);
	return undone ? undone : ret;
}

int trace_file_append(struct trace_stream *stream, const struct packet *packet)
{
	struct packet_head head = packet->head;
	uint64_t checksum = checksum_bytes(head.cpu_id, packet->events,
					   packet->event_bytes);
	int ret = 0;

	memcpy(head.uuid, stream->trace->uuid, sizeof(head.uuid));
	/* packets without room on disk leave no gap; their events are lost */
	head.packet_seq_num -= stream->skipped;
	head.events_discarded += stream->unwritten;
	if (stream->fd < 0)
		ret = create_files(stream);
	if (!ret)
		ret = file_append(stream, packet, &head, checksum);
	if (ret)
		return ret;
	stream->last = head;
	stream->checksum = checksum;
	stream->last_offset = stream->offset;
	stream->offset += CTF_HEAD_BYTES + packet->event_bytes;
	stream->bytes += packet->event_bytes;
	return 0;
}

int trace_file_end(struct trace_stream *stream)
{
	char temporary[64], name[64];
	int ret;

	if (stream->fd < 0)
		return 0;
	ret = file_seal(stream);
	trace_idx_name(stream->file, ".new", temporary, sizeof(temporary));
	trace_idx_name(stream->file, "", name, sizeof(name));
	if (!ret && renameat(stream->trace->fd, temporary, stream->trace->fd,
			     name))
		ret = -errno;
	if (close(stream->idx) && !ret)
		ret = -errno;
	if (close(stream->fd) && !ret)
		ret = -errno;
	stream->fd = -1;
	stream->idx = -1;
	stream->offset = 0;
	return ret;
}

void trace_file_tell_losses(struct trace_stream *stream)
{
	bool again = stream->fd < 0;
	struct ctf_index_entry entry;
	struct packet_head padded;
	char name[64];

	if (stream->last.events_discarded >= stream->lost)
		return;
	/* it was ended, but the next file could not be written */
	if (again && stream->chunk) {
		trace_idx_name(stream->chunk->file, "", name, sizeof(name));
		stream->fd = openat(stream->trace->fd, stream->chunk->file,
				    O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		stream->idx = openat(stream->trace->fd, name,
				     O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	}
	if (stream->fd < 0)
		return;
	stream->last.events_discarded = stream->lost;
	idx_entry_encode(&entry, &stream->last, stream->last_offset,
			 stream->checksum);
	padded = stream->last;
	if (stream->offset)
		padded.packet_size = (stream->room - stream->last_offset) * 8;
	trace_write_at(stream->fd, ctf_part(&padded), CTF_HEAD_BYTES,
		       stream->last_offset);
	trace_write_at(stream->idx, &entry, sizeof(entry),
		       idx_bytes(stream) - sizeof(entry));
	/* it is complete: trace_file_end() would cut it */
	if (again) {
		close(stream->idx);
		close(stream->fd);
		stream->fd = -1;
		stream->idx = -1;
	}
}
