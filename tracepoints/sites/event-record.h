/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A marker's event record in a channel's page. Readers decode events by it.
 */
#ifndef TRACEPOINTS_SITES_EVENT_RECORD_H
#define TRACEPOINTS_SITES_EVENT_RECORD_H

#include "tracepoints/sites/registry.h"

/* Returns 1 when both are the same event: names, format and types are equal.
 * File and line do not count. */
int record_same_event(const struct object *a, const struct object *b);

/*
 * Returns the record of an object's event in a channel: the existing one, or a
 * new one with the next free id. NULL when the page is full. The registry's
 * lock is held.
 */
struct event_record *record_publish(struct channel *channel,
				    const struct object *object);

#endif
