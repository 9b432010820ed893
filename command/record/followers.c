/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Serves commands that follow a recording. See followers-private.h.
 */
#include "command/record/followers-private.h"

#include <time.h>

#include "traces/follow.h"

#define TURN_NS		200000000ull
#define ASKED_MAX	64		/* processes in a turn */

/* Returns CLOCK_REALTIME, which readers compare with the times of events. */
static int64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Tells readers that the traces are complete up to a time. */
static void time_tell(const struct trace_set *set, int64_t ns)
{
	struct follow_news news = { .ns = ns, .removed = set->removed };

	follow_tell(set->fd, &news);
}

void followers_serve(struct followers *followers, struct members *members,
		     bool overwrite, uint64_t now_ns)
{
	const struct trace_set *set = &members->drain->set;

	if (now_ns < followers->next_ns)
		return;
	followers->next_ns = now_ns + TURN_NS;
	if (followers->told) {
		/* the rings were emptied since the last process was asked */
		time_tell(set, followers->told);
		followers->told = 0;
	}
	if (!follow_held(set->fd, FOLLOW_READER)) {
		followers->begin = 0;
		return;
	}
	if (overwrite) {
		time_tell(set, FOLLOW_AT_END);
		return;
	}
	if (!followers->begin) {
		followers->begin = realtime_ns();
		followers->scans = members->scans;
		members_scan_soon(members);
	}
	/* once all processes that wrote before are known */
	if (members->scans == followers->scans) {
		followers->next_ns = now_ns;
		return;
	}
	if (members_flush(members, &followers->next, ASKED_MAX)) {
		followers->told = followers->begin;
		followers->begin = 0;
	}
}
