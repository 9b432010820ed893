/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rings of sessions as a source of events: a copy of the packets that each
 * ring has, and of later packets. Reading changes neither the rings
 * nor the recorder's place in them.
 */
#ifndef TRACES_READ_RINGS_H
#define TRACES_READ_RINGS_H

#include <sys/types.h>

#include "traces/read/merge.h"
#include "traces/trace.h"

/* The rings' own counts, of all that were added. */
struct ring_totals {
	uint64_t written;		/* events, also those that have gone */
	uint64_t lost;
	uint64_t unplaced;		/* of these: no buffer was there */
	uint64_t calls;			/* of these: no room until they end */
};

/* Names addresses in copies of rings (symbols.h), from files of the programs
 * that the rings' owner may read; or NULL: they have no names. Set it before
 * rings are added. */
extern void (*rings_name)(struct trace_symbols *symbols,
			  const struct session_view *session,
			  const struct process_page *process,
			  const struct metadata_clock *clock, uid_t owner);

/* The rings of one session of one image. */
struct ring_image;

/* Where to begin in a ring. */
enum rings_from {
	RINGS_NEW,			/* behind the last packet that a
					 * recorder has taken */
	RINGS_PEEK,			/* with that, as far as it is there */
	RINGS_LATER			/* at the first event: events that are
					 * not there any more are told as
					 * overwritten */
};

/*
 * Adds the rings of session `name` of the image that `fd` is open on. `shown`
 * names the image in messages. `set` has the anchors of all images
 * (trace_set_anchors(), trace_set_anchor_now()); it is not a directory here.
 * Rings that are found later are read from their first event. The caller closes
 * *image with ring_image_close(), also while the reader goes on. Returns 0 or a
 * negative errno: -ENOENT: the image has no such session; -EPROTO: the image is
 * of another version; -ENOMEM.
 */
int reader_add_rings(struct ring_image **image, struct reader *reader,
		     const struct trace_set *set, int fd, const char *name,
		     const char *shown, enum rings_from from);
void ring_image_close(struct ring_image *image);

/*
 * Copies the packets that the rings have got since the last call;
 * reader_refresh() then gives them. With `last`, losses that no later event
 * follows are told as well. Returns 0, or a negative errno: -ENOMEM, -EMFILE,
 * -ENFILE.
 */
int ring_image_refresh(struct ring_image *image, bool last);

/* Returns whether the session was stopped or destroyed, as the last refresh
 * saw it. */
bool ring_image_stopped(const struct ring_image *image);
bool ring_image_destroyed(const struct ring_image *image);

/* Returns the number of a process in the rings that it shares, or 0; whether
 * the rings are those that processes share; whether the process with a number
 * has written into these, and how many have, as the last refresh saw it. */
uint32_t ring_image_member(const struct ring_image *image);
bool ring_image_shared(const struct ring_image *image);
bool ring_image_wrote(const struct ring_image *image, uint32_t member);
uint32_t ring_image_writers(const struct ring_image *image);

/* Returns how many sessions the process had before this one. */
uint64_t ring_image_serial(const struct ring_image *image);

/* Adds the counts of the last refresh. */
void ring_image_count(const struct ring_image *image,
		      struct ring_totals *totals);

/* Returns the time that it is now by the clock of the image's events, or
 * TIME_MAX if that clock tells no time. */
int64_t ring_image_now(const struct ring_image *image);

#endif
