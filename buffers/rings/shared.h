/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rings that the processes of a session share, and the table of event types
 * that goes with them (docs/shared.md).
 *
 * Invariants: no process waits for another one, and each state of the shared
 * memory is one from which another process can go on. The members stay mapped
 * at one address, as late threads may still look there.
 */
#ifndef BUFFERS_RINGS_SHARED_H
#define BUFFERS_RINGS_SHARED_H

#include <stdbool.h>

#include "base/tunables.h"
#include "buffers/layout.h"

#define SHARED_PATH_BYTES	320

/* A process's mappings of a session's shared files. All zero: none. */
struct shared {
	struct session_page *types;	/* session.0; NULL: not joined */
	struct process_page *page;	/* for core dumps only */
	struct members_page *members;	/* NULL before the first session */
	struct shared_member *member;	/* this process's slot; or NULL: it has
					 * none */
	uint32_t cpus;			/* with a ring, */
	uint32_t ring_bytes;		/* of so many bytes */
	uint32_t number;		/* of this process; 0: none yet */
	uint32_t staged;		/* an unused place for a description */
	uint32_t staged_bytes;
	char directory[SHARED_PATH_BYTES];
	struct ring *rings[CHANNEL_CPUS_MAX];
};

/*
 * Makes the files in `directory`, which is there and empty: rings for `cpus`
 * CPUs, of ring_bytes each. With `late`, a member allocates them. `page`
 * describes host and clock. Returns 0, and *shared is joined, without a number;
 * or a negative errno, and some files may be there.
 */
int shared_make(struct shared *shared, const char *directory,
		const struct process_page *page, const char *name,
		uint32_t flags, uint32_t ring_bytes, uint32_t cpus, bool late);

/* Returns true when all files are allocated: else no event, and no description,
 * may be written. */
bool shared_allocated(const struct shared *shared);

/* Allocates the files. Any number of processes may do so at once. Returns 0, or
 * a negative errno. Call it in one of the agent's threads. */
int shared_allocate(struct shared *shared);

/* Maps the files of a session. Returns 0 or a negative errno: -ENOENT, -EACCES:
 * the directory is not seen, or a command has just removed it; -EPROTO: of
 * another version. Locks `members` (flock, shared) as long as memory of the
 * process, or of a forked child, lives. Call it in one of the agent's
 * threads. */
int shared_join(struct shared *shared, const char *directory);

/* Gives the calling process a number and a slot; a forked child that has the
 * parent's mappings calls it, too. Returns the number. */
uint32_t shared_enter(struct shared *shared, const struct process_page *page);

/* Unmaps all but the members, which become private memory. No writer is in the
 * rings. */
void shared_leave(struct shared *shared);

/*
 * Adds a description behind the first `end` bytes of records of the table. The
 * caller has compared it with all of these: model->id is their number. Returns
 * 0; -EAGAIN: another type is there by now; -ENOSPC: there is no room. One
 * caller at a time in a process.
 */
int shared_type_add(struct shared *shared, uint64_t end,
		    const struct event_record *model, const char *text,
		    uint32_t text_bytes);

/* Returns the bytes of records that the table has. What other processes have
 * begun to add is there, too. */
uint64_t shared_types_end(struct shared *shared);

#endif
