/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers that the program declares while it runs.
 */
#ifndef AGENT_DECLARE_H
#define AGENT_DECLARE_H

#pragma GCC visibility push(default)
#include "include/taffrail/event.h"
#pragma GCC visibility pop

#include "tracepoints/fields/shown.h"

struct code;
struct object;

/* A site and the texts of the site, as a compiler lays them out. */
struct taffrail_declared {
	struct taffrail_site site;
	char text[];			/* channel, name, fields, file */
};

/*
 * A description of a marker. `shown` says more of the fields than their types,
 * as shown_begin() and shown_end() make it: whole descriptions, or none; of an
 * array (TAFFRAIL_T_ARRAY, which needs one) TAFFRAIL_HOW_COUNT comes first.
 *
 * Who writes events of such a marker passes for an array as many elements as
 * that says, and for characters (TAFFRAIL_HOW_CHARS) all bytes, with zeros
 * behind the NUL. A number that is a field alone is in host order.
 */
struct wish {
	const char *channel;
	const char *name;
	const char *level;		/* or NULL */
	const char *message;		/* or NULL */
	const struct taffrail_event_field *fields;
	uint32_t n;
	struct shown_bytes shown;
};

static inline size_t wish_shown_bytes(const struct wish *wish)
{
	return (size_t)(wish->shown.end - wish->shown.p);
}

/* Puts a marker into the registry; what the wish points to is copied. Returns
 * NULL and sets errno: EINVAL, the wish is malformed, or has more than 65,535
 * bytes of texts and descriptions; ENODEV, the agent is off; ENOMEM. The
 * caller does not hold the registry's lock. */
struct taffrail_declared *marker_declare(const struct wish *wish);

/*
 * The same for many markers: the caller holds the registry's lock, and then has
 * sessions look at those that were not there, `came`, with loader_came().
 * `model` has flags of the marker's code (CODE_ of tracepoints/sites); the
 * address by which debuggers know it, or NULL for that of the site; and, in
 * `refused`, a negative errno for a marker that never has an event.
 */
struct taffrail_declared *marker_put(const struct wish *wish,
				     const struct code *model,
				     struct object **came);

/* Returns the address of a marker, or NULL for one that is not in the registry,
 * whose lock is held. */
uint8_t *marker_address(struct taffrail_declared *event);

/*
 * Takes all channels from declared markers. Returns 0 when no thread writes
 * their events any more, or as thread_run_wait(). marker_forget() then takes a
 * marker out of the registry. The caller, a thread of the program, holds the
 * registry's lock.
 */
int markers_off(struct taffrail_declared *const *events, uint32_t n);
void marker_forget(struct taffrail_declared *event);

/* Has sessions, gdb and callbacks look at markers that came without a module,
 * a list by `next_found`. The caller, a thread of the program, holds the
 * registry's lock. */
void loader_came(struct object *objects);

static inline bool declared_is_variable(int type)
{
	return !!(type & ~TAFFRAIL_T_SCALAR_MASK);
}

#endif
