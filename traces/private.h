/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between directory.c, file.c, limit.c, stream.c and trace.c, each of which
 * calls only those before it.
 */
#ifndef TRACES_PRIVATE_H
#define TRACES_PRIVATE_H

#include <sys/uio.h>

#include "traces/trace.h"

#define LEDGER_ROOM_BYTES	16384
#define TRACE_BLOCK_BYTES	4096u	/* what a file is rounded up to */

/*
 * A file of a stream under a limit. It lies in the order of all of them by
 * the time of its last packet; those of one stream are in their own order.
 */
struct trace_chunk {
	struct trace_chunk *older;
	struct trace_chunk *newer;
	struct trace_stream *stream;
	char file[40];
	uint64_t bytes;
	uint64_t packets;
	uint64_t events;
	uint64_t time_ns;		/* end of the last packet */
	uint64_t begun;			/* set->written then */
};

/* Remembers the first failure of the set; returns `error`. */
int trace_failed(struct trace *trace, int error);

/* The same of a set. */
void trace_set_failed(struct trace_set *set, int error);

/* Writes at an offset, all of it, and changes `iov`. 0 or -errno. */
int trace_write_all(int fd, struct iovec *iov, int n, uint64_t offset);
int trace_write_at(int fd, const void *data, size_t bytes, uint64_t offset);

/* Makes a trace's directory and what is in it at first. What it had made when
 * it fails, trace_remove_directory() takes away. */
int trace_make_directory(struct trace *trace);

/* Its directory, also when it is finished: to be closed. */
int trace_directory(const struct trace *trace);

/* Takes a directory with all that trace_open() made away. */
void trace_remove_directory(struct trace *trace);

/* Appends a packet, in a new file if there is none. 0 or -errno. */
int trace_file_append(struct trace_stream *stream, const struct packet *packet);

/* The latest file of a stream is complete: a next packet begins another. */
int trace_file_end(struct trace_stream *stream);

/* Events that came into the ring and not to disk: the last packet on disk is
 * where a reader learns of them. */
void trace_file_tell_losses(struct trace_stream *stream);

/* The name of the index of a file; `suffix` is ".new" while that grows. */
void trace_idx_name(const char *file, const char *suffix, char *name,
		    size_t room);

/* Frees the streams of a finished trace. */
void trace_free_streams(struct trace *trace);

/* Writes what the ledger of a finished trace says, in place. */
int trace_ledger_write(struct trace *trace);

/*
 * May this packet be written? Makes room for it, and begins a new file where
 * the latest is full. False: it would be the oldest of all that there is, and
 * counts as dropped.
 */
bool trace_limit_admit(struct trace_stream *stream,
		       const struct packet *packet);

/* It was written. -ENOMEM: it cannot be kept account of. */
int trace_limit_count(struct trace_stream *stream, const struct packet *packet);

/* Makes room for another file of so many bytes. */
void trace_limit_room(struct trace_set *set, uint64_t bytes);

/* So many bytes have gone from a file and so many come. */
void trace_limit_replaced(struct trace_set *set, uint64_t from, uint64_t to);

/* What directories and ledger of a new trace take. */
void trace_limit_opened(struct trace *trace);

/* A finished trace of which no packet is left goes, unless it is the last. */
void trace_limit_finished(struct trace *trace);

/* DIR/ledger, of what went as a whole. 0 or -errno. */
int trace_limit_tell(struct trace_set *set);

/* Frees what is known of files. */
void trace_limit_free(struct trace_set *set);

#endif
