/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What readers learn of a marker: its event record in a channel's page.
 */
#ifndef TRACEPOINTS_SITES_EVENT_RECORD_H
#define TRACEPOINTS_SITES_EVENT_RECORD_H

#include "tracepoints/sites/registry.h"

/* Are these the same event: name, format, types? Where they stand in the
 * source does not count. */
int record_same_event(const struct object *a, const struct object *b);

/*
 * The record of an object's event in a channel: the one that is there, or a
 * new one with the next free id. NULL when the page is full. The registry's
 * lock is held.
 */
struct event_record *record_publish(struct channel *channel,
				    const struct object *object);

#endif
