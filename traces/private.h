/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by directory.c, file.c, limit.c, stream.c and trace.c, each of which
 * calls only those named before it.
 */
#ifndef TRACES_PRIVATE_H
#define TRACES_PRIVATE_H

#include <dirent.h>
#include <sys/uio.h>

#include "traces/trace.h"

#define LEDGER_ROOM_BYTES	16384
#define TRACE_BLOCK_BYTES	4096u	/* a file's size is rounded up to it */

/*
 * A file of a stream under a limit. The files of all streams are in one list,
 * ordered by the time of their last packets; files of one stream keep their
 * order.
 */
struct trace_chunk {
	struct trace_chunk *older;
	struct trace_chunk *newer;
	struct trace_stream *stream;
	char file[40];
	uint64_t bytes;
	uint64_t packets;
	uint64_t events;
	uint64_t records;		/* of writers, beside the events */
	uint64_t time_ns;		/* end of the last packet */
	uint64_t begun;			/* set->written at the start */
};

/* Remembers the first failure of the set; returns `error`. 0 is none. */
int trace_failed(struct trace *trace, int error);

/* Remembers the first failure of a set. 0 is none. */
void trace_set_failed(struct trace_set *set, int error);

/* Returns the page of a trace's process; of a settled trace, that of another
 * one with the same clock. */
const struct process_page *trace_process(const struct trace *trace);

/* Write all bytes at an offset; trace_write_all() changes `iov`. Return 0 or
 * -errno; a part may be written then, which the caller takes back. */
int trace_write_all(int fd, struct iovec *iov, int n, uint64_t offset);
int trace_write_at(int fd, const void *data, size_t bytes, uint64_t offset);

/* Writes a file in a directory; an old one is replaced byte by byte. Returns 0
 * or -errno; a part may be written then. */
int trace_write_file(int dirfd, const char *name, const char *text,
		     size_t bytes);

/* Makes a trace's directory and its first files. Returns 0 or -errno; after a
 * failure trace_remove_directory() removes what was made. */
int trace_make_directory(struct trace *trace);

/* Returns a descriptor of a trace's directory, also when the trace is finished,
 * or -errno. The caller closes it. A link in the place of the directory is not
 * followed. */
int trace_directory(const struct trace *trace);

/* Opens the list of names in a directory, from the first one on; `fd` keeps its
 * place. Returns NULL with errno. */
DIR *trace_names(int fd);

/* Removes a directory with everything that trace_open() made in it. */
void trace_remove_directory(struct trace *trace);

/* Appends a packet, in a new file if none is open. Returns 0 or -errno. */
int trace_file_append(struct trace_stream *stream, const struct packet *packet);

/* Completes the latest file of a stream. The next packet begins another one.
 * Returns 0 or -errno. */
int trace_file_end(struct trace_stream *stream);

/* Returns whether another program removed the latest file of a stream, or cut
 * it. Call it before trace_file_end(). */
bool trace_file_spoilt(const struct trace_stream *stream);

/* Adds events that reached the ring, but not the disk, to the last packet on
 * disk, where a reader learns of them. */
void trace_file_tell_losses(struct trace_stream *stream);

/* Makes the name of a file's index; `suffix` is ".new" while it grows. */
void trace_idx_name(const char *file, const char *suffix, char *name,
		    size_t room);

/* Frees the streams of a finished trace. A chunk of a limit that is left must
 * not be asked for the stream any more. */
void trace_free_streams(struct trace *trace);

/* Writes the ledger of a trace, into the room that was set aside for it.
 * Returns 0 or -errno. */
int trace_ledger_write(struct trace *trace);

/* Writes `unplaced` into the ledger of a finished trace. The trace's streams
 * may have been freed. Returns 0 or -errno. */
int trace_ledger_raise(struct trace *trace);

/* Writes DIR/traces, the names of all traces that are there. Where it has no
 * room, it is not there: no failure, as a recording without a list can be read.
 */
void trace_list_write(struct trace_set *set);

/*
 * Makes room for a packet, and ends the latest file if it is full. Returns
 * false if the packet would be the oldest of all, so it counts as dropped.
 */
bool trace_limit_admit(struct trace_stream *stream,
		       const struct packet *packet);

/* Counts a packet that was written. Returns 0; -ENOMEM: it is not counted. */
int trace_limit_count(struct trace_stream *stream, const struct packet *packet);

/* Makes room for another file of so many bytes. Packets are removed until it
 * fits, or none is left. */
void trace_limit_room(struct trace_set *set, uint64_t bytes);

/* Counts that a file of `from` bytes was replaced by one of `to`. */
void trace_limit_replaced(struct trace_set *set, uint64_t from, uint64_t to);

/* Removes a finished trace without packets, unless no other trace has any;
 * without a limit, frees its streams. */
void trace_limit_finished(struct trace *trace);

/* Writes DIR/ledger, if traces were removed as a whole. Returns 0 or -errno. */
int trace_limit_tell(struct trace_set *set);

/* Frees the accounts of files, of which the streams may have gone. */
void trace_limit_free(struct trace_set *set);

#endif
