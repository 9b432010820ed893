/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rings of sessions as a source of events: a copy of each ring, made now.
 * The rings do not change, nor does anything that a recorder knows of them.
 */
#ifndef TRACES_READ_RINGS_H
#define TRACES_READ_RINGS_H

#include "traces/read/merge.h"
#include "traces/trace.h"

/* What the rings' own counts say, of all that were added. */
struct ring_totals {
	uint64_t written;		/* events, also those that have gone */
	uint64_t lost;
	size_t processes;		/* images that have the session */
};

/*
 * Adds the rings of session `name` of the image that `fd` is open on. `shown`
 * names it in messages. `set` has the anchors of all images
 * (trace_set_anchors(), trace_set_anchor_now()); it is not a directory here.
 * With `totals`, adds to them, and the copies also have what a recorder has
 * taken, as far as it is still there. Returns how many rings had events, or a
 * negative errno: -ENOENT: the image has no such session; -EPROTO: it is of
 * another version; -ENOMEM.
 */
int reader_add_rings(struct reader *reader, const struct trace_set *set,
		     int fd, const char *name, const char *shown,
		     struct ring_totals *totals);

#endif
