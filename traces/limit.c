/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeps DIR within a number of bytes by removing the oldest packets.
 *
 * CTF cannot drop packets from the front of a file, and not every file system
 * can. So a stream becomes a row of files, which a reader joins by the stream's
 * number, and the oldest file of all streams is removed as a whole.
 *
 * Invariants:
 *  - room is made before anything is written;
 *  - only the oldest packets of a stream are removed, so the rest has no gap;
 *  - each removed event is counted as overwritten: in its stream, or in
 *    DIR/ledger once the whole trace was removed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "buffers/ctf.h"
#include "traces/checksum.h"
#include "traces/ledger.h"
#include "traces/private.h"

#define NS_PER_S	1000000000ull

/* While one file grows, at most this share of the limit is written to all
 * streams. The share bounds the bytes that are removed at once, and the number
 * of files. */
#define CHUNK_SHARE	32

/* DIR itself and DIR/ledger. */
#define TOP_BYTES	(2 * TRACE_BLOCK_BYTES)

/* Returns the room of a file of so many bytes, as `du` counts. */
static uint64_t block_bytes(uint64_t bytes)
{
	return (bytes + TRACE_BLOCK_BYTES - 1) / TRACE_BLOCK_BYTES *
	       TRACE_BLOCK_BYTES;
}

/* Returns the room of a stream file of so many bytes and packets, with the
 * index; 0: there is no file yet. */
static uint64_t file_cost(uint64_t bytes, uint64_t packets)
{
	if (!packets)
		return 0;
	return block_bytes(bytes) +
	       block_bytes(sizeof(struct ctf_index_header) +
		      packets * sizeof(struct ctf_index_entry));
}

#define HEAD_BYTES	(PACKET_HEAD_BYTES - PACKET_PRIVATE_BYTES)

/* Returns the bytes of a packet in a file. */
static uint64_t packet_bytes(const struct packet *packet)
{
	return HEAD_BYTES + packet->event_bytes;
}

/* Returns the time of day of a packet's end, in nanoseconds. No packet is older
 * than the one before it in the stream, even where a process states such a
 * time. */
static uint64_t packet_time(const struct trace_stream *stream,
			    const struct packet *packet)
{
	const struct metadata_clock *clock = &stream->trace->clock;
	unsigned __int128 ns = packet->head.timestamp_end;

	ns = (ns + clock->offset) * NS_PER_S / clock->hz +
	     (uint64_t)clock->offset_s * NS_PER_S;
	return max_u64((uint64_t)ns, stream->time_ns);
}

/* Takes a file out of the list, and leaves it to the caller. */
static void chunk_unlink(struct trace_set *set, struct trace_chunk *chunk)
{
	if (chunk->older)
		chunk->older->newer = chunk->newer;
	else
		set->oldest = chunk->newer;
	if (chunk->newer)
		chunk->newer->older = chunk->older;
	else
		set->newest = chunk->older;
}

/* Removes a trace without packets. The trace's counts go to DIR/ledger, and it
 * stays in the set: the final totals have it. */
static void trace_go(struct trace *trace)
{
	struct trace_set *set = trace->set;
	struct trace_gone *gone = &set->gone;

	for (size_t i = 0; i < trace->nstreams; i++) {
		gone->emitted += trace->streams[i]->emitted;
		gone->overwritten += trace->streams[i]->overwritten;
		gone->lost += trace->streams[i]->lost;
	}
	gone->emitted += trace->unplaced;
	gone->lost += trace->unplaced;
	gone->traces++;
	trace->fd = trace_directory(trace);
	trace_remove_directory(trace);
	trace_free_streams(trace);
	trace->gone = true;
	trace_limit_replaced(set, trace->session_bytes, 0);
	trace_limit_replaced(set, trace->metadata_bytes, 0);
	set->used -= 2 * TRACE_BLOCK_BYTES + LEDGER_ROOM_BYTES;
}

/*
 * Removes the oldest file. Its events go from kept to dropped; of a finished
 * trace, in the totals of the set as well. A file that still grows is closed
 * first; a finished trace without files goes as a whole, or gets a ledger with
 * the new counts.
 */
static void drop_oldest(struct trace_set *set)
{
	struct trace_chunk *chunk = set->oldest;
	struct trace_stream *stream = chunk->stream;
	struct trace *trace = stream->trace;
	bool growing = stream->chunk == chunk && stream->fd >= 0;
	uint64_t bytes = chunk->bytes - chunk->packets * HEAD_BYTES;
	int fd = trace_directory(trace);
	char name[64];

	if (growing) {
		close(stream->idx);
		close(stream->fd);
		stream->fd = -1;
		stream->idx = -1;
		stream->offset = 0;
	}
	if (stream->chunk == chunk)
		stream->chunk = NULL;
	set->removed += chunk->events;
	set->records -= chunk->records;
	stream->kept -= chunk->events;
	stream->dropped += chunk->events;
	stream->bytes -= bytes;
	set->used -= file_cost(chunk->bytes, chunk->packets);
	if (trace->fd < 0) {
		stream->overwritten += chunk->events;
		set->kept -= chunk->events;
		set->overwritten += chunk->events;
		set->bytes -= bytes;
	}
	chunk_unlink(set, chunk);
	trace->nchunks--;
	if (fd >= 0) {
		unlinkat(fd, chunk->file, 0);
		trace_idx_name(chunk->file, growing ? ".new" : "", name,
			       sizeof(name));
		unlinkat(fd, name, 0);
	} else {
		trace_failed(trace, fd);
	}
	free(chunk);
	if (trace->fd < 0 && !trace->nchunks) {
		trace_go(trace);
	} else if (trace->fd < 0 && fd >= 0) {
		trace->ledger = openat(fd, "index/ledger",
				       O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
		if (trace->ledger < 0) {
			trace_failed(trace, -errno);
		} else {
			trace_ledger_write(trace);
			close(trace->ledger);
		}
		trace->ledger = -1;
	}
	if (fd >= 0)
		close(fd);
}

/* Returns whether so many bytes more would go beyond the limit. */
static bool too_much(const struct trace_set *set, uint64_t more)
{
	return set->used + set->spare + TOP_BYTES + more > set->limit;
}

void trace_limit_room(struct trace_set *set, uint64_t bytes)
{
	/* the final metadata uses `spare` */
	while (set->limit && !set->final && set->oldest &&
	       too_much(set, block_bytes(bytes)))
		drop_oldest(set);
}

void trace_limit_replaced(struct trace_set *set, uint64_t from, uint64_t to)
{
	set->used += block_bytes(to);
	set->used -= block_bytes(from);
	set->spare = max_u64(set->spare, block_bytes(to));
}

void trace_limit_finished(struct trace *trace)
{
	if (!trace->set->limit) {
		trace_free_streams(trace);
		return;
	}
	if (!trace->nchunks && trace->set->oldest)
		trace_go(trace);
}

bool trace_limit_admit(struct trace_stream *stream, const struct packet *packet)
{
	struct trace_set *set = stream->trace->set;
	uint64_t bytes = packet_bytes(packet);
	uint64_t time_ns, cost;

	if (!set->limit)
		return true;
	time_ns = packet_time(stream, packet);
	if (stream->chunk && set->written + bytes - stream->chunk->begun >
				     set->limit / CHUNK_SHARE)
		trace_failed(stream->trace, trace_file_end(stream));
	for (;;) {
		const struct trace_chunk *chunk = stream->chunk;

		/* the file may be the one that was just removed */
		cost = file_cost(bytes, 1);
		if (stream->fd >= 0 && chunk)
			cost = file_cost(chunk->bytes + bytes,
					 chunk->packets + 1) -
			       file_cost(chunk->bytes, chunk->packets);
		if (!too_much(set, cost))
			return true;
		if (!set->oldest || set->oldest->time_ns > time_ns)
			return false;
		drop_oldest(set);
	}
}

int trace_limit_count(struct trace_stream *stream, const struct packet *packet)
{
	struct trace_set *set = stream->trace->set;
	struct trace_chunk *chunk = stream->chunk;
	struct trace_chunk *older;

	if (!set->limit)
		return 0;
	if (chunk && !strcmp(chunk->file, stream->file)) {
		chunk_unlink(set, chunk);
	} else {
		chunk = calloc(1, sizeof(*chunk));
		if (!chunk)
			return -ENOMEM;
		chunk->stream = stream;
		chunk->begun = set->written;
		snprintf(chunk->file, sizeof(chunk->file), "%s", stream->file);
		stream->chunk = chunk;
		stream->chunks++;
		stream->trace->nchunks++;
	}
	set->used -= file_cost(chunk->bytes, chunk->packets);
	chunk->bytes += packet_bytes(packet);
	chunk->packets++;
	chunk->events += packet->count;
	chunk->records += packet->records;
	set->used += file_cost(chunk->bytes, chunk->packets);
	set->written += packet_bytes(packet);
	stream->time_ns = packet_time(stream, packet);
	chunk->time_ns = stream->time_ns;
	/* by the time of the last packet; from the newest file, as most
	 * files become the newest */
	older = set->newest;
	while (older && older->time_ns > chunk->time_ns)
		older = older->older;
	chunk->older = older;
	chunk->newer = older ? older->newer : set->oldest;
	if (older)
		older->newer = chunk;
	else
		set->oldest = chunk;
	if (chunk->newer)
		chunk->newer->older = chunk;
	else
		set->newest = chunk;
	return 0;
}

int trace_limit_tell(struct trace_set *set)
{
	const struct trace_gone *gone = &set->gone;
	char *text = NULL;
	int bytes;
	size_t n;
	int ret;

	if (!gone->traces)
		return 0;
	bytes = asprintf(&text, "# traces emitted kept overwritten lost\n"
				"%llu %llu 0 %llu %llu\n",
			 (unsigned long long)gone->traces,
			 (unsigned long long)gone->emitted,
			 (unsigned long long)gone->overwritten,
			 (unsigned long long)gone->lost);
	n = bytes < 0 ? 0 : (size_t)bytes;
	ret = bytes < 0 ? -ENOMEM :
	      checksum_append(&text, &n, LEDGER_CHECKSUM, "");
	if (!ret)
		ret = trace_write_file(set->fd, "ledger", text, n);
	free(text);
	return ret;
}

void trace_limit_free(struct trace_set *set)
{
	while (set->oldest) {
		struct trace_chunk *chunk = set->oldest;

		chunk_unlink(set, chunk);
		free(chunk);
	}
}
