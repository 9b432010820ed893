/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a recorder does for those who follow its directory (traces/follow.h).
 */
#include <time.h>

#include "base/base.h"
#include "command/record/member-private.h"
#include "traces/follow.h"

#define TURN_NS		200000000ull
#define ASKED_MAX	64		/* processes in a turn */

static int64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Closes the buffers of some living processes. Returns whether all have been
 * asked since the last time that it returned so. */
static bool flush_some(struct record *record)
{
	size_t asked = 0;

	while (record->followed_next < record->nmembers && asked < ASKED_MAX) {
		struct record_member *member =
			record->members[record->followed_next++];

		if (member->done || !member->alive)
			continue;
		record_ask(record, member, MESSAGE_FLUSH);
		asked++;
	}
	if (record->followed_next < record->nmembers)
		return false;
	record->followed_next = 0;
	return true;
}

static void tell(const struct record *record, int64_t ns)
{
	struct follow_news news = {
		.ns = ns, .removed = record->set.removed,
	};

	follow_tell(record->set.fd, &news);
}

/* Begins a round, and brings the next scan forward. */
static void begin(struct record *record)
{
	record->followed_begin = realtime_ns();
	record->followed_scans = record->scans;
	record->next_scan_ns = min_u64(record->next_scan_ns,
				       record->scan_again_ns);
}

void record_followed(struct record *record, uint64_t now_ns)
{
	if (now_ns < record->followed_ns)
		return;
	record->followed_ns = now_ns + TURN_NS;
	if (record->followed_told) {
		/* the rings were emptied since the last process was asked */
		tell(record, record->followed_told);
		record->followed_told = 0;
	}
	if (!follow_held(record->set.fd, FOLLOW_READER)) {
		record->followed_begin = 0;
		return;
	}
	if (record->options.overwrite) {
		tell(record, FOLLOW_AT_END);
		return;
	}
	if (!record->followed_begin)
		begin(record);
	/* once all processes that wrote before are known */
	if (record->scans == record->followed_scans) {
		record->followed_ns = now_ns;
		return;
	}
	if (flush_some(record)) {
		record->followed_told = record->followed_begin;
		record->followed_begin = 0;
	}
}
