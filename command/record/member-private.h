/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes of a recording; see member.c.
 */
#ifndef COMMAND_RECORD_MEMBER_PRIVATE_H
#define COMMAND_RECORD_MEMBER_PRIVATE_H

#include "command/record/private.h"
#include "control/protocol.h"

/* Returns the newest member whose directory has the process's name and owner,
 * or NULL. */
struct record_member *member_named(const struct record *record,
				   const struct rundir_process *process);

/* Adds a member, with its own descriptors. Returns NULL without memory or
 * descriptors. */
struct record_member *member_add(struct record *record,
				 const struct rundir_process *process);

/* Returns true when the image is one of the member's (may be NULL). */
bool member_has(const struct record_member *member,
		const struct rundir_process *process, uint32_t image);

/* Returns true unless the process has another page under the image's number: it
 * is another process, of the same name. */
bool member_same_page(const struct consumer *consumer,
		      const struct rundir_process *process);

/* Waits at most so long; returns true when the process has ended. */
bool member_ended(const struct record_member *member, int wait_ms);

/* Closes the member's descriptors. */
void member_let_go(struct record_member *member);

/*
 * finish.c: record_finish_image() collects the rest of an image, and removes
 * its files if nothing failed; it keeps those of a living process, whose next
 * image would take the number again. record_finish_replaced() does it for the
 * images that a later one of the same process has replaced: they write no more.
 * It removes their buffers, and leaves their directories.
 * record_finish_all() ends a recording whose processes were stopped.
 */
void record_finish_image(struct record *record, struct record_member *member,
			 struct consumer *consumer);
void record_finish_member(struct record *record, struct record_member *member);
void record_finish_replaced(struct record *record,
			    struct record_member *member);
void record_finish_all(struct record *record);

/* Removes files that stayed for followers until a time of CLOCK_MONOTONIC. */
void record_remove_left(struct record *record, uint64_t until_ns);

/* Sends one request to a living member. Warns when a stop fails. */
int record_ask(struct record *record, struct record_member *member,
	       enum message_type type);

#endif
