/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the files that an agent publishes (layout.h): event records, rings,
 * packets.
 *
 * Invariants:
 *  - shared memory is hostile: each value is read once into a local copy,
 *    checked against the size of the file, and used only from the copy;
 *  - a file that shrinks under a mapping reads as zeros instead of killing the
 *    reader with SIGBUS (map_guard());
 *  - readers write nothing into a traced process's memory but the tail of a
 *    ring, and only the one reader that empties the ring writes that.
 *
 * Nothing here is thread-safe or SIGSAFE: one thread reads.
 */
#ifndef BUFFERS_READER_READER_H
#define BUFFERS_READER_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buffers/cursor.h"
#include "buffers/ring-view.h"

#define RING_NAME_BYTES		16	/* "31", "L0": behind "ring.N." */

/* A file mapped read-only, or copied. */
struct file_map {
	const void *address;
	size_t bytes;
	int fd;
	void *copy;			/* the meaning of `address` then, or
					 * NULL */
};

/* One event_record, checked; strings are NUL-terminated and never NULL. */
struct event_view {
	uint32_t id;
	uint32_t line;
	uint8_t kind;			/* enum taffrail_kind */
	uint8_t nfields;		/* <= EVENT_FIELDS_MAX */
	bool writer;			/* a writer record's */
	uint8_t types[EVENT_FIELDS_MAX];
	const char *channel;
	const char *name;
	const char *text;
	const char *file;
	const char *shown;		/* how fields are shown; see */
	uint32_t shown_bytes;		/* tracepoints/fields/shown.h */
	char strings[];
};

/* One RECORD_MODULES. */
struct modules_view {
	struct modules_head head;
	uint64_t files;			/* by the kernel's clock of files */
	bool more;			/* it goes on from the one before */
	char lines[];			/* NUL-terminated */
};

struct session_view {
	struct file_map map;		/* the page */
	struct file_map shared;		/* of rings that processes share: who
					 * they are; or nothing */
	struct session_page page;	/* checked copy */
	struct event_view **events;	/* in order of publication */
	size_t nevents;
	struct modules_view **modules;	/* the same */
	size_t nmodules;
	uint64_t parsed;		/* bytes of records in both */
};

/*
 * How to step over an event of one id. A step is fixed bytes (1 ..
 * STEP_FIXED_MAX), an address that is shown by a symbol, a string, or a
 * sequence (STEP_SEQUENCE | bytes of an element). 0 ends the steps.
 */
#define STEP_FIXED_MAX		0x0fffu
#define STEP_SYMBOL		0x1008u	/* | bytes */
#define STEP_STRING		0x4000u
#define STEP_SEQUENCE		0x8000u

struct event_shape {
	uint16_t steps[EVENT_FIELDS_MAX + 1];
	uint8_t known;			/* 0: no such event */
	uint8_t symbols;		/* it has a STEP_SYMBOL */
};

/* The format of a stream, for packet_walk(); shapes are found by event id. */
struct packet_format {
	const struct event_shape *shapes;
	size_t nshapes;
	uint32_t context_bytes;		/* see context_bytes() */
	enum cursor_kind kind;		/* of the headers */
	bool symbols;			/* a shape has a STEP_SYMBOL */
	bool writers;			/* events of WRITER_ID are records */
};

/* A packet, ready for disk: `head` from `magic` on, then `events`. */
struct packet {
	struct packet_head head;	/* our copy, complete */
	const void *events;
	uint32_t event_bytes;
	uint64_t count;			/* events in it */
	uint64_t records;		/* and writer records */
	uint64_t missed;		/* of a copy from a mark: events before
					 * it that were overwritten */
	struct writer_record writer;	/* the same: the last record before the
					 * mark; all zero: none */
	struct writer_record last;	/* the last record up to its end */
};

struct packet_walk {
	uint64_t count;			/* good events */
	uint64_t records;		/* good writer records */
	uint64_t nameless;		/* events before the first of these */
	uint64_t bytes;			/* of both */
	uint64_t last;			/* clock value of the last, or begin */
	struct writer_record writer;	/* the last one; all zero: none */
};

/* A ring; constants are checked copies. */
struct ring_reader {
	struct file_map map;
	struct ring *control;		/* writable first page, or NULL */
	char name[RING_NAME_BYTES];
	struct ring_view view;
	uint32_t ring_bytes;
	uint32_t flags;
	uint32_t cpu;
	uint64_t next;			/* number of the next packet to take */
	uint64_t discarded;		/* as the last packet taken says */
	bool placed;			/* `next` is known */
	bool peek;			/* a copy also has the packets that a
					 * reader took */
	bool broken;			/* made no sense: take nothing more */
	bool cut;			/* broken: the file was cut short */
};

/* Up to where a reader that goes on has copied a ring. Zero: nothing. */
struct ring_mark {
	bool known;
	uint64_t number;		/* of the packet */
	uint32_t used;			/* bytes of it, with the head */
	uint64_t clock;			/* of the last event in them */
	uint64_t events;		/* committed up to there */
	uint64_t lost;			/* as the last packet says */
	struct writer_record writer;	/* of the packet, up to there */
};

/* How far back a ring reaches, in readings of the trace clock. */
struct ring_reach {
	uint64_t begin;			/* from here on, all its events are
					 * there */
	uint64_t end;			/* of its newest event; 0: not asked
					 * for */
	bool whole;			/* no event was overwritten */
	bool none;			/* it has no event */
};

struct ring_copy {
	struct ring_reader *ring;
	struct ring_mark *mark;		/* all before it was copied; or NULL */
	struct ring_count count;	/* at the instant that the copy shows */
	uint64_t first;			/* the oldest packet that is intact */
	uint64_t taken;			/* events before it that a reader took,
					 * in discard mode */
	uint64_t base;			/* the packet that `data` begins with */
	uint32_t from;			/* the bytes of `first` that are before
					 * the mark */
	size_t room;
	char *data;			/* sub-buffer by sub-buffer */
};

typedef int packet_call(const struct packet *packet, void *priv);

/*
 * Lets mappings of truncated files read as zeros: installs a SIGBUS handler for
 * this process. A SIGBUS anywhere else has the usual effect.
 */
void map_guard(void);

/* Returns the negative errno of an mmap(2) that has just failed: -ENOLCK where
 * the caller's memory is locked and limited. -EAGAIN would mean "not yet". */
int map_error(void);

/* Guards a mapping. Returns 0 or -ENOMEM. */
int map_guard_add(const void *address, size_t bytes);
void map_guard_remove(const void *address);

/* Returns whether a load from the mapping that begins there met the end of the
 * file. */
bool map_guard_cut(const void *address);

/* How many loads from any mapping have met the end of a file. */
extern volatile unsigned int map_guard_cuts;

/*
 * Maps `bytes` (0: all) of a regular file; the caller closes the result.
 * Returns 0, or a negative errno: -EBADMSG when the file is shorter than
 * `least`, -ELOOP for a symlink, -EINVAL for another kind of file.
 */
int file_map_open(struct file_map *map, int dirfd, const char *name,
		  size_t least, size_t bytes);

/*
 * Opens one of very many files: keeps no descriptor, and copies a small file.
 * The kernel allows a process some 65,000 mappings (vm.max_map_count). Returns
 * as file_map_open(); -EBADMSG: the file is empty.
 */
int file_map_open_many(struct file_map *map, int dirfd, const char *name);

/* Does the same as file_map_open() in a process's directory. Returns -EPERM
 * when the file's owner is not the directory's. */
int file_map_open_shared(struct file_map *map, int dirfd, const char *name,
			 size_t least, size_t bytes);
void file_map_close(struct file_map *map);

/*
 * Copies and checks IMAGE/process. Returns 0, or a negative errno: -EAGAIN when
 * it is not published yet, -EPROTO for another version, -EBADMSG when it is no
 * such page.
 */
int process_read(struct process_page *page, int imagefd);

/*
 * Copies the anchors of a page from process_read(), the one of the start first,
 * and returns their number. Leaves out slots that are no anchors: torn, or with
 * times that cannot be. Only other anchors can tell whether an anchor is true.
 */
int process_anchors(const struct process_page *page,
		    struct clock_anchor anchors[static 1 + PROCESS_ANCHORS]);

/*
 * Opens a session file (the name: "session.N"). Errors as process_read().
 * session_view_find() opens the newest of so many sessions that has this name
 * and is not destroyed; -ENOENT: there is none. session_view_update() reads the
 * state and the event records that are new since; it returns 1 when there are
 * new records, 0, or -EBADMSG when they make no sense. session_view_oversize()
 * adds up the events that were lost because they were too large.
 * session_view_drop_modules() frees memory that nothing needs any more when
 * addresses have names.
 */
int session_view_open(struct session_view *session, int dirfd,
		      const char *name);
int session_view_find(struct session_view *session, int dirfd,
		      uint32_t sessions, const char *name, uint32_t *index);
int session_view_update(struct session_view *session);
int session_view_oversize(const struct session_view *session, uint64_t *lost);
void session_view_drop_modules(struct session_view *session);
void session_view_close(struct session_view *session);

/* A process of the session that shares rings. */
struct member_view {
	uint32_t number;		/* as its writer records have it */
	bool wrote;			/* it has written into them */
	uint32_t pid;
	uint64_t starttime;
	char name[MEMBER_NAME_BYTES + 1];
	uint64_t lost;			/* its events that the rings lost */
	uint64_t identity;		/* tells PID namespaces apart; or 0 */
};

/*
 * Returns whether the rings are shared; whether they have no memory yet, so no
 * event; how many processes have joined; and finds the first one with a number
 * above member->number, or returns false: there is none.
 */
bool session_view_shared(const struct session_view *session);
bool session_view_empty(const struct session_view *session);
uint64_t session_view_given(const struct session_view *session);
bool session_view_member(const struct session_view *session,
			 struct member_view *member);

/*
 * Calls `call` with the name of each ring of session `index` ("31", "L0").
 * Returns 0, a negative errno, or the result of `call` if that was not 0.
 */
int rings_each(int imagefd, uint32_t index,
	       int (*call)(const char *name, void *priv), void *priv);

/* Reads which rings were removed, from a session's page, mapped or copied. Call
 * it after rings_each(): the rings that count were all there then. */
void rings_removed_read(const struct session_page *page,
			struct rings_removed *removed);

/* Returns whether a ring of this name is one of them, although its file was
 * still there. */
bool rings_removed_has(const struct rings_removed *removed, const char *name);

/*
 * Returns how many rings of the CPU came before the ring of this name. Copy the
 * rings of a CPU from the newest to the oldest: if the writers go on in a newer
 * ring meanwhile, the copy ends where that ring begins, or before. In the other
 * order, events between the two copies would be missing.
 */
uint32_t ring_replacement(const char *name);

/* The values of a session page's number of rings, for an image. */
#define RINGS_MAX	8192

/*
 * Returns how many rings the session's page has more than the `found` files
 * that rings_each() has shown, and that have a ring's head: their files were
 * removed or cut. The page was read before (SESSION-RINGS).
 */
uint32_t rings_missing(const struct session_page *page, uint32_t found);

/*
 * Opens ring `name` of session `index`. With `consume` the tail can be moved.
 * -EAGAIN: not published yet; -EPROTO, -EBADMSG as above.
 */
int ring_open(struct ring_reader *ring, int imagefd, uint32_t index,
	      const char *name, bool consume);
void ring_close(struct ring_reader *ring);

/*
 * Reads the ring's counts, which are all zero before the first packet. Returns
 * 0, or -EBADMSG when they make no sense: the ring is then `broken`.
 */
int ring_count(struct ring_reader *ring, struct ring_count *count);

/*
 * Does the same, and counts the events that were overwritten: those before the
 * oldest packet that a copy would show. Returns -EAGAIN when the writer lapped
 * the reader in each of several tries.
 */
int ring_count_all(struct ring_reader *ring, struct ring_count *count,
		   uint64_t *overwritten);

/*
 * Finds how far back the ring reaches, while its writer goes on. With `format`,
 * also finds the newest event: then the writer must have stopped. Returns 0, or
 * a negative errno as ring_count_all().
 */
int ring_reach(struct ring_reader *ring, const struct packet_format *format,
	       struct ring_reach *reach);

/*
 * Takes the next closed packet of a ring in discard mode, in place. Returns 1,
 * 0 when there is none yet, or -EBADMSG. The packet stays valid until
 * ring_release(), which gives the sub-buffer back to the writer.
 */
int ring_take(struct ring_reader *ring, struct packet *packet);
void ring_release(struct ring_reader *ring);

/*
 * Takes the open packet up to the last committed event, and completes the head.
 * Returns 1, 0 when the packet holds nothing, or a negative errno. For a ring
 * whose closed packets have been taken and whose writer has stopped.
 */
int ring_take_open(struct ring_reader *ring, const struct packet_format *format,
		   struct packet *packet);

/*
 * Copies the packets that the ring still holds, while the writer goes on or
 * after it died, and does not change the ring. Packets that the writer lapped
 * meanwhile are not in the copy. Returns 1 (then the caller frees the copy), 0
 * for a ring never used, or a negative errno.
 */
int ring_copy_make(struct ring_copy *copy, struct ring_reader *ring);
void ring_copy_free(struct ring_copy *copy);

/*
 * Does the same with the events behind the mark, which lives as long as the
 * copy; returns 0 if there is nothing. The first time it is as
 * ring_copy_make(), then it does not matter which packets another reader takes.
 */
int ring_copy_more(struct ring_copy *copy, struct ring_reader *ring,
		   struct ring_mark *mark);

/*
 * Calls `call` for each packet of a copy, the oldest first; the open packet's
 * head is completed. `format` must be newer than the copy. Returns 0, the
 * result of `call` if that was not 0, or -EBADMSG when the rest made no sense.
 * Of a packet that goes on behind a mark, it gives the rest, with a head that
 * begins there; and it moves the mark.
 */
int ring_copy_each(const struct ring_copy *copy,
		   const struct packet_format *format, packet_call *call,
		   void *priv);

/*
 * Steps over the events of a packet. Returns 0 when they fill `bytes`
 * exactly, else -EBADMSG: `walk` then describes the good events before.
 */
int packet_walk(const struct packet_format *format, uint64_t begin,
		const void *events, size_t bytes, struct packet_walk *walk);

/* Does the same, and calls `wrote` with the number of a process and how many
 * events it has between two writer records. */
int packet_walk_writers(const struct packet_format *format, uint64_t begin,
			const void *events, size_t bytes,
			struct packet_walk *walk,
			void (*wrote)(uint32_t process, uint64_t events,
				      void *priv), void *priv);

/* Returns the bytes of these contexts, or -EINVAL for an unknown one. */
int context_bytes(uint32_t contexts);

#endif
