/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The streams of a trace: packets, index, ledger.
 *
 * What must stay true here: a stream file can be read whenever the command is
 * killed; its index has its final name only when it covers the whole file.
 *
 * While a file grows, it is longer than what is written of it, and its last
 * packet says that all the rest is its padding:
 *
 *	| packet 1 | packet 2 | padding of packet 2 ............... |
 *
 * The next packet is written into that padding, with the rest of the file for
 * its own, and is not there until packet 2 gives it up: by one store of eight
 * bytes. The first packet comes into a file that has another name until then.
 * Two steps in a row that have to be done both are left where a file is made
 * longer, once in RESERVE_BYTES, and where it is cut at its end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/base.h"
#include "traces/idx.h"
#include "traces/private.h"

#define CTF_HEAD_BYTES	(PACKET_HEAD_BYTES - PACKET_PRIVATE_BYTES)
#define SIZE_OFFSET	(offsetof(struct packet_head, packet_size) - \
			 PACKET_PRIVATE_BYTES)
#define RESERVE_BYTES	(16u << 20)	/* no blocks, where files have holes */

static const void *ctf_part(const struct packet_head *head)
{
	return (const char *)head + PACKET_PRIVATE_BYTES;
}

int trace_stream_open(struct trace_stream **result, struct trace *trace,
		      const char *name)
{
	struct trace_stream *stream = calloc(1, sizeof(*stream));
	struct trace_stream **more;

	if (!stream)
		return -ENOMEM;
	more = reallocarray(trace->streams, trace->nstreams + 1, sizeof(*more));
	if (!more) {
		free(stream);
		return -ENOMEM;
	}
	trace->streams = more;
	more[trace->nstreams++] = stream;
	stream->trace = trace;
	stream->fd = -1;
	stream->idx = -1;
	snprintf(stream->name, sizeof(stream->name), "stream_%s", name);
	snprintf(stream->file, sizeof(stream->file), "%s", stream->name);
	*result = stream;
	return 0;
}

void trace_idx_name(const char *file, const char *suffix, char *name,
		    size_t room)
{
	snprintf(name, room, "index/%s.idx%s", file, suffix);
}

/* All of it, or a negative errno. */
static int write_all(int fd, struct iovec *iov, int n, uint64_t offset)
{
	while (n) {
		ssize_t done = pwritev(fd, iov, n, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -ENOSPC;
		offset += (uint64_t)done;
		while (n && (size_t)done >= iov->iov_len) {
			done -= (ssize_t)iov->iov_len;
			iov++;
			n--;
		}
		if (n) {
			iov->iov_base = (char *)iov->iov_base + done;
			iov->iov_len -= (size_t)done;
		}
	}
	return 0;
}

static int write_at(int fd, const void *data, size_t bytes, uint64_t offset)
{
	struct iovec iov = { (void *)data, bytes };

	return write_all(fd, &iov, 1, offset);
}

static int create(struct trace *trace, const char *name)
{
	int fd = openat(trace->fd, name,
			O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			0666);

	return fd < 0 ? -errno : fd;
}

/* A file without a packet in it: babeltrace2 passes over such names. */
static void hidden_name(const struct trace_stream *stream, char *name,
			size_t room)
{
	snprintf(name, room, ".%s", stream->file);
}

static void abandon(struct trace_stream *stream)
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

static int create_files(struct trace_stream *stream)
{
	struct ctf_index_header header;
	char name[64];
	int ret;

	if (stream->trace->set->limit)
		snprintf(stream->file, sizeof(stream->file), "%s_%u",
			 stream->name, stream->chunks);
	hidden_name(stream, name, sizeof(name));
	stream->fd = create(stream->trace, name);
	if (stream->fd < 0)
		return stream->fd;
	stream->room = 0;
	trace_idx_name(stream->file, ".new", name, sizeof(name));
	stream->idx = create(stream->trace, name);
	ret = stream->idx;
	if (ret >= 0) {
		idx_header_encode(&header);
		ret = write_at(stream->idx, &header, sizeof(header), 0);
	}
	if (ret < 0)
		abandon(stream);
	return ret < 0 ? ret : 0;
}

static uint64_t idx_bytes(const struct trace_stream *stream)
{
	return (uint64_t)lseek(stream->idx, 0, SEEK_END);
}

/* What the last packet that is there says of its size, padding included. */
static int declare(struct trace_stream *stream, uint64_t end)
{
	uint64_t bits = (end - stream->last_offset) * 8;

	return write_at(stream->fd, &bits, sizeof(bits),
			stream->last_offset + SIZE_OFFSET);
}

/* Makes the file as long as `end`, or longer. */
static int make_room(struct trace_stream *stream, uint64_t end)
{
	uint64_t room = end + RESERVE_BYTES;

	if (end <= stream->room)
		return 0;
	if (ftruncate(stream->fd, (off_t)room)) {
		/* no more than it needs, where files may not be that long */
		room = end;
		if (ftruncate(stream->fd, (off_t)room))
			return -errno;
	}
	stream->room = room;
	return stream->offset ? declare(stream, room) : 0;
}

/* The file ends behind its last packet. */
static int seal(struct trace_stream *stream)
{
	if (stream->room == stream->offset)
		return 0;
	stream->room = stream->offset;
	if (ftruncate(stream->fd, (off_t)stream->offset))
		return -errno;
	return declare(stream, stream->offset);
}

/* Takes a packet back of which only a part could be written. */
static int take_back(struct trace_stream *stream, uint64_t idx, int error)
{
	int ret = stream->offset ? seal(stream) : 0;

	if (ftruncate(stream->idx, (off_t)idx))
		ret = -errno;
	if (!stream->offset)
		abandon(stream);
	return ret ? ret : error;
}

/* It is written; from now on it is there. */
static int show(struct trace_stream *stream)
{
	char name[64];

	if (stream->offset)
		return declare(stream, stream->offset);
	hidden_name(stream, name, sizeof(name));
	return renameat(stream->trace->fd, name, stream->trace->fd,
			stream->file) ? -errno : 0;
}

static int append(struct trace_stream *stream, const struct packet *packet,
		  struct packet_head *head)
{
	uint64_t end = stream->offset + CTF_HEAD_BYTES + packet->event_bytes;
	struct packet_head padded = *head;
	struct iovec iov[2] = {
		{ (void *)ctf_part(&padded), CTF_HEAD_BYTES },
		{ (void *)packet->events, packet->event_bytes },
	};
	struct ctf_index_entry entry;
	uint64_t idx = idx_bytes(stream);
	int ret = make_room(stream, end);

	padded.packet_size = (stream->room - stream->offset) * 8;
	if (!ret)
		ret = write_all(stream->fd, iov, packet->event_bytes ? 2 : 1,
				stream->offset);
	idx_entry_encode(&entry, head, stream->offset);
	if (!ret)
		ret = write_at(stream->idx, &entry, sizeof(entry), idx);
	if (!ret)
		ret = show(stream);
	return ret ? take_back(stream, idx, ret) : 0;
}

int trace_packet(struct trace_stream *stream, const struct packet *packet)
{
	struct packet_head head = packet->head;
	int ret = 0;

	if (stream->failed)
		return -EIO;
	if (!trace_limit_admit(stream, packet)) {
		stream->dropped += packet->count;
		return 0;
	}
	memcpy(head.uuid, stream->trace->uuid, sizeof(head.uuid));
	if (stream->fd < 0)
		ret = create_files(stream);
	if (!ret)
		ret = append(stream, packet, &head);
	if (ret)
		goto failed;
	stream->last = head;
	stream->last_offset = stream->offset;
	stream->offset += CTF_HEAD_BYTES + packet->event_bytes;
	stream->kept += packet->count;
	stream->bytes += CTF_HEAD_BYTES + packet->event_bytes;
	ret = trace_limit_count(stream, packet);
	if (!ret)
		return 0;
failed:
	stream->failed = true;
	return ret == -EFAULT ? ret : trace_failed(stream->trace, ret);
}

void trace_stream_count(struct trace_stream *stream, uint64_t committed,
			uint64_t lost)
{
	stream->emitted = committed + lost;
	stream->lost = lost;
}

int trace_stream_end_file(struct trace_stream *stream)
{
	char temporary[64];
	char name[64];
	int ret;

	if (stream->fd < 0)
		return 0;
	ret = seal(stream);
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

/* The latest file was ended, and the next one could not be written. */
static void open_again(struct trace_stream *stream)
{
	char name[64];

	if (stream->fd >= 0 || !stream->chunk)
		return;
	trace_idx_name(stream->chunk->file, "", name, sizeof(name));
	stream->fd = openat(stream->trace->fd, stream->chunk->file,
			    O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	stream->idx = openat(stream->trace->fd, name,
			     O_RDWR | O_CLOEXEC | O_NOFOLLOW);
}

/*
 * Events that came into the ring and not to disk: the last packet on disk is
 * where a reader learns of them.
 */
static void tell_losses(struct trace_stream *stream)
{
	struct ctf_index_entry entry;
	struct packet_head padded;

	if (stream->last.events_discarded >= stream->lost)
		return;
	open_again(stream);
	if (stream->fd < 0)
		return;
	stream->last.events_discarded = stream->lost;
	idx_entry_encode(&entry, &stream->last, stream->last_offset);
	padded = stream->last;
	if (stream->offset)
		padded.packet_size = (stream->room - stream->last_offset) * 8;
	write_at(stream->fd, ctf_part(&padded), CTF_HEAD_BYTES,
		 stream->last_offset);
	write_at(stream->idx, &entry, sizeof(entry),
		 idx_bytes(stream) - sizeof(entry));
}

static int finish_stream(struct trace_stream *stream, bool overwrite)
{
	struct trace_set *set = stream->trace->set;
	uint64_t taken = stream->kept + stream->dropped;
	uint64_t missing;

	if (stream->emitted < taken + stream->lost)
		stream->emitted = taken + stream->lost;
	missing = stream->emitted - taken - stream->lost;
	if (!overwrite || stream->failed) {
		stream->lost += missing;
		missing = 0;
		tell_losses(stream);
	}
	stream->overwritten = missing + stream->dropped;
	set->kept += stream->kept;
	set->lost += stream->lost;
	set->overwritten += stream->overwritten;
	set->bytes += stream->bytes;
	return trace_stream_end_file(stream);
}

static void ledger_fill(FILE *out, const struct trace *trace)
{
	size_t i;

	fputs("# stream emitted kept overwritten lost\n", out);
	for (i = 0; i < trace->nstreams; i++) {
		const struct trace_stream *stream = trace->streams[i];

		fprintf(out, "%s %llu %llu %llu %llu\n", stream->name,
			(unsigned long long)stream->emitted,
			(unsigned long long)stream->kept,
			(unsigned long long)stream->overwritten,
			(unsigned long long)stream->lost);
	}
	fprintf(out, "unplaced %llu\noversize %llu\n",
		(unsigned long long)trace->unplaced,
		(unsigned long long)trace->oversize);
}

/* In place, into room that was set aside for it. */
int trace_ledger_write(struct trace *trace)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	int ret;

	if (!out)
		return -ENOMEM;
	ledger_fill(out, trace);
	ret = fclose(out) ? -ENOMEM : 0;
	if (!ret)
		ret = write_at(trace->ledger, text, bytes, 0);
	if (!ret && ftruncate(trace->ledger, (off_t)bytes))
		ret = -errno;
	free(text);
	return ret;
}

void trace_free_streams(struct trace *trace)
{
	size_t i;

	for (i = 0; i < trace->nstreams; i++)
		free(trace->streams[i]);
	free(trace->streams);
	trace->streams = NULL;
	trace->nstreams = 0;
}

int trace_finish(struct trace *trace, bool overwrite)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < trace->nstreams; i++) {
		int error = finish_stream(trace->streams[i], overwrite);

		ret = ret ? ret : error;
	}
	/* the oversized are among those that the rings lost */
	trace->set->lost += trace->unplaced;
	if (!ret)
		ret = trace_ledger_write(trace);
	if (close(trace->ledger) && !ret)
		ret = -errno;
	trace->ledger = -1;
	close(trace->fd);
	trace->fd = -1;
	trace_limit_finished(trace);
	return ret ? trace_failed(trace, ret) : 0;
}
