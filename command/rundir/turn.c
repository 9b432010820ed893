/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turns of commands, by locks (flock) on directories.
 *
 * What must stay true here: a stopped command may hold a lock as long as it
 * likes, so no command waits for it without end.
 */
#include <errno.h>
#include <sys/file.h>
#include <time.h>

#include "command/common/monotonic.h"
#include "command/rundir/private.h"

#define TURN_MS		2000
#define PAUSE_NS	1000000

void rundir_take_turn(int fd)
{
	static const struct timespec pause = { .tv_nsec = PAUSE_NS };
	/* a wait of this command has timed out: it waits no more */
	static bool waited;
	int64_t end = monotonic_ms() + TURN_MS;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return;
		if (waited || monotonic_ms() >= end) {
			waited = true;
			return;
		}
		nanosleep(&pause, NULL);
	}
	waited = false;
}
