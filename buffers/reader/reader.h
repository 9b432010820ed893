/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading what an agent publishes (layout.h): event records, rings, packets.
 *
 * What must stay true here:
 *  - shared memory is hostile: each value is read once into a local copy,
 *    checked against the size of the file, and used only from the copy;
 *  - a file that shrinks under its mapping reads as zeros instead of killing
 *    the reader with SIGBUS (map_guard());
 *  - nothing is ever written into a traced process's memory but the tail of a
 *    ring, and that only by the one reader that empties it.
 *
 * Nothing here is thread-safe or SIGSAFE: one thread reads.
 */
#ifndef BUFFERS_READER_READER_H
#define BUFFERS_READER_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffers/layout.h"

#define RING_NAME_BYTES		16	/* "31", "L0": behind "ring.N." */

/* A file mapped read-only. */
struct file_map {
	const void *address;
	size_t bytes;
	int fd;
};

/* One event_record, checked; strings are NUL-terminated and never NULL. */
struct event_view {
	uint32_t id;
	uint32_t line;
	uint8_t kind;			/* enum taffrail_kind */
	uint8_t nfields;		/* <= EVENT_FIELDS_MAX */
	uint8_t types[EVENT_FIELDS_MAX];
	const char *channel;
	const char *name;
	const char *text;
	const char *file;
	char strings[];
};

struct session_view {
	struct file_map map;		/* the page */
	struct session_page page;	/* checked copy */
	struct event_view **events;	/* in order of publication */
	size_t nevents;
	uint64_t parsed;		/* bytes of records in `events` */
};

/*
 * How to step over an event of one id: fixed bytes (1 .. STEP_FIXED_MAX), a
 * string, or a sequence (STEP_SEQUENCE | bytes of an element). 0 ends it.
 */
#define STEP_FIXED_MAX		0x0fffu
#define STEP_STRING		0x4000u
#define STEP_SEQUENCE		0x8000u

struct event_shape {
	uint16_t steps[EVENT_FIELDS_MAX + 1];
	uint8_t known;			/* 0: no such event */
};

/* What packet_walk() must know of a stream; shapes are found by event id. */
struct packet_format {
	const struct event_shape *shapes;
	size_t nshapes;
	uint32_t context_bytes;		/* see context_bytes() */
	bool large;			/* SESSION_LARGE_HEADER */
};

/* A packet, ready for disk: `head` from its `magic` on, then `events`. */
struct packet {
	struct packet_head head;	/* our copy, complete */
	const void *events;
	uint32_t event_bytes;
	uint64_t count;			/* events in it */
};

struct packet_walk {
	uint64_t count;			/* good events */
	uint64_t bytes;			/* that they take */
	uint64_t last;			/* clock value of the last, or begin */
};

/* A ring; constants are checked copies. */
struct ring_reader {
	struct file_map map;
	struct ring *control;		/* writable first page, or NULL */
	char name[RING_NAME_BYTES];
	uint32_t sub_bytes;
	uint32_t ring_bytes;
	uint32_t nsub;
	uint32_t flags;
	uint32_t cpu;
	uint64_t instance;
	uint8_t uuid[16];
	uint64_t next;			/* number of the next packet to take */
	uint64_t discarded;		/* as the last packet taken says */
	bool placed;			/* `next` is known */
	bool broken;			/* it lied: nothing more is taken */
	bool cut;			/* because its file was cut short */
};

/* What a ring says of itself at one instant. */
struct ring_count {
	uint64_t committed;		/* events ever written into it */
	uint64_t lost;
	uint64_t current;		/* number of the open packet */
	uint32_t used;			/* bytes of its sub-buffer in use */
};

struct ring_copy {
	struct ring_reader *ring;
	struct ring_count count;	/* the instant that it shows */
	uint64_t first;			/* the oldest packet that is intact */
	char *data;			/* sub-buffer by sub-buffer */
};

typedef int packet_call(const struct packet *packet, void *priv);

/*
 * Lets mappings of truncated files read as zeros: installs a SIGBUS handler
 * for this process. A SIGBUS anywhere else has its usual effect.
 */
void map_guard(void);
void map_guard_add(const void *address, size_t bytes);
void map_guard_remove(const void *address);

/* Has a load from the mapping that begins there met the end of its file? */
bool map_guard_cut(const void *address);

/*
 * Maps `bytes` (0: all) of a regular file. Result to be closed. -EBADMSG when
 * it is shorter than `least`, -ELOOP for a symlink, -EINVAL for no file.
 */
int file_map_open(struct file_map *map, int dirfd, const char *name,
		  size_t least, size_t bytes);

/* The same in a process's directory. -EPERM for a file that is not of the
 * directory's owner. */
int file_map_open_shared(struct file_map *map, int dirfd, const char *name,
			 size_t least, size_t bytes);
void file_map_close(struct file_map *map);

/*
 * A checked copy of IMAGE/process. -EAGAIN: not published yet; -EPROTO:
 * another version; -EBADMSG: no such page.
 */
int process_read(struct process_page *page, int imagefd);

/*
 * The anchors of a page read by process_read(), the one of its start first.
 * Those that are no anchors are left out: torn, or of no clock. Returns their
 * number. Whether they are true only other anchors can tell.
 */
int process_anchors(const struct process_page *page,
		    struct clock_anchor anchors[static 1 + PROCESS_ANCHORS]);

/*
 * Opens a session file (its name: "session.N"). Errors as process_read().
 * session_view_update() reads what is new since: the state, and event records;
 * 1 when there were new ones, 0, or -EBADMSG when they make no sense.
 * session_view_oversize() adds up what was lost because it was too large.
 */
int session_view_open(struct session_view *session, int dirfd,
		      const char *name);
int session_view_update(struct session_view *session);
int session_view_oversize(const struct session_view *session, uint64_t *lost);
void session_view_close(struct session_view *session);

/*
 * Calls `call` with the name of each ring of session `index` ("31", "L0").
 * Returns 0, a negative errno, or what `call` returned if that was not 0.
 */
int rings_each(int imagefd, uint32_t index,
	       int (*call)(const char *name, void *priv), void *priv);

/*
 * Opens ring `name` of session `index`. With `consume` the tail can be moved.
 * -EAGAIN: not published yet; -EPROTO, -EBADMSG as above.
 */
int ring_open(struct ring_reader *ring, int imagefd, uint32_t index,
	      const char *name, bool consume);
void ring_close(struct ring_reader *ring);

/*
 * What the ring holds now, all zero before its first packet. Returns 0, or
 * -EBADMSG for nonsense: the ring is then `broken`.
 */
int ring_count(struct ring_reader *ring, struct ring_count *count);

/*
 * The same, and how many of the events were overwritten: those before the
 * oldest packet that a copy would show. -EAGAIN: the writer lapped us again
 * and again.
 */
int ring_count_all(struct ring_reader *ring, struct ring_count *count,
		   uint64_t *overwritten);

/*
 * The next closed packet of a ring in discard mode, in place: 1, 0 when there
 * is none yet, or -EBADMSG. It stays valid until ring_release(), which gives
 * its sub-buffer back to the writer.
 */
int ring_take(struct ring_reader *ring, struct packet *packet);
void ring_release(struct ring_reader *ring);

/*
 * The open packet up to the last committed event, finished by us: 1, 0 when
 * it holds nothing, or a negative errno. For a ring whose closed packets have
 * been taken and whose writer has stopped.
 */
int ring_take_open(struct ring_reader *ring, const struct packet_format *format,
		   struct packet *packet);

/*
 * A copy of all that the ring still holds, made while its writer goes on or
 * after it died, without touching it; what was lapped meanwhile is not in it.
 * 1, 0 for a ring never used, or a negative errno. To be freed if 1.
 */
int ring_copy_make(struct ring_copy *copy, struct ring_reader *ring);
void ring_copy_free(struct ring_copy *copy);

/*
 * Calls `call` for each packet of a copy, the oldest first, the open one
 * finished by us. `format` must be newer than the copy. Returns 0, what
 * `call` returned if that was not 0, or -EBADMSG: the rest made no sense.
 */
int ring_copy_each(const struct ring_copy *copy,
		   const struct packet_format *format, packet_call *call,
		   void *priv);

/*
 * Steps over the events of a packet. Returns 0 when they fill `bytes`
 * exactly, else -EBADMSG: `walk` then describes the good ones before.
 */
int packet_walk(const struct packet_format *format, uint64_t begin,
		const void *events, size_t bytes, struct packet_walk *walk);

/* Bytes of the contexts of a session, or -EINVAL for an unknown one. */
int context_bytes(uint32_t contexts);

#endif
