/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams of files: files.c reads them, parts.c knows the packets that other
 * directories of their trace have.
 */
#ifndef TRACES_READ_FILES_PRIVATE_H
#define TRACES_READ_FILES_PRIVATE_H

#include "traces/read/private.h"

#define FILE_BYTES	64		/* of a name: "stream_31_7" */

/* Packets that a stream has left behind, without a gap in their numbers. */
struct run {
	uint64_t first, last;
	uint64_t first_begin, last_begin;
};

/* A packet of a stream, as parts.c finds it. */
struct part_packet {
	uint64_t number;
	uint64_t begin, end;
	uint64_t lost;
	uint64_t bytes;			/* of it, that are there */
};

struct file_stream;

/* Steps over all packets of a stream's files, and tells nothing. */
typedef void files_each_fn(const struct file_stream *stream,
			   void (*take)(const struct packet_head *head,
					uint64_t bytes, void *priv),
			   void *priv);

/* A stream of files. The event's memory is the mapping of the open file, so an
 * event is valid only until the next packet is taken. */
struct file_stream {
	struct read_stream stream;
	files_each_fn *each;		/* files.c: parts.c calls it */
	uint8_t uuid[16];		/* of the packets */
	struct file_stream *sibling;	/* a ring: the same stream, in another
					 * directory of the trace; or itself */
	struct run *runs;
	size_t nruns;
	unsigned int turn;		/* reader->turn of the runs */
	struct part_packet *parts;	/* all packets, once they were looked
					 * for */
	size_t nparts;
	char(*files)[FILE_BYTES];	/* names, in order */
	size_t nfiles;
	size_t next;			/* the next file to open */
	struct file_map map;		/* of the one before it, if open */
	struct file_map idx;		/* of that file, if it is complete */
	size_t nentries;
	size_t entry;			/* the next one, or a later one */
	uint64_t offset;
	uint64_t last;			/* of the last packet that was taken */
	bool ended;			/* the end was looked at */
	bool cut;			/* the last packet is not whole */
	bool strange;			/* the index has not all packets */
};

/* parts.c: makes a stream a sibling of another one; takes it out again. */
void parts_join(struct file_stream *f, struct file_stream *other);
void parts_leave(struct file_stream *f);

/* parts.c: forgets which packets a stream has left behind. */
void parts_rewind(struct file_stream *f);

/* parts.c: leaves a packet behind: it was given, or another stream gave it.
 * Returns -ENOMEM, or 0. */
int parts_pass(struct file_stream *f, const struct packet_head *head);

/* parts.c: returns whether another directory's stream has left the packet
 * behind. */
bool parts_passed(const struct file_stream *f, const struct packet_head *head);

/* parts.c: returns whether another directory has more bytes of the packet. */
bool parts_longer(const struct file_stream *f, const struct packet_head *head,
		  uint64_t bytes);

/* parts.c: sets *before to the nearest packet before this one that another
 * directory has, unless *before is nearer already. Returns whether it was set.
 */
bool parts_before(const struct file_stream *f, const struct packet_head *head,
		  struct packet_head *before);

/* parts.c: returns whether all packets of two streams may be of one: packets of
 * one number have one begin, and others the same order by both. */
bool parts_agree(struct file_stream *a, struct file_stream *b);

#endif
