/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Serves commands that follow the directory of the recording (traces/follow.h).
 *
 * Invariant: a time is told only when all processes that wrote before it are
 * known, each was asked after it, and their rings were emptied since.
 */
#include <time.h>

#include "command/record/members-private.h"
#include "traces/follow.h"

#define TURN_NS		200000000ull
#define ASKED_MAX	64		/* processes in a turn */

bool followers_serve(struct members *members, const struct drain *drain,
		     bool overwrite, uint64_t now_ns)
{
	static uint64_t next_ns;	/* the next turn */
	static size_t next;		/* the next member to ask */
	static int64_t begin, told;	/* in ns of CLOCK_REALTIME, as events
					 * have them, or 0: when this round
					 * began; the time to tell next */
	static uint32_t scans;		/* how many there were then */
	const struct trace_set *set = drain_set(drain);
	struct follow_news news = { .ns = told, .removed = set->removed };
	struct timespec now;

	if (now_ns < next_ns)
		return begin || told;
	next_ns = now_ns + TURN_NS;
	/* the rings were emptied since the last process was asked */
	if (told)
		follow_tell(set->fd, &news);
	told = 0;
	if (!follow_held(set->fd, FOLLOW_READER)) {
		begin = 0;
		return false;
	}
	if (overwrite) {
		news.ns = FOLLOW_AT_END;
		follow_tell(set->fd, &news);
		return true;
	}
	if (!begin) {
		clock_gettime(CLOCK_REALTIME, &now);
		begin = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
		scans = members_scans(members);
		members_hurry(members, false);
	}
	/* once all processes that wrote before are known */
	if (members_scans(members) == scans) {
		next_ns = now_ns;
	} else if (members_flush(members, &next, ASKED_MAX)) {
		told = begin;
		begin = 0;
	}
	return true;
}
