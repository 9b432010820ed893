/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a recorder and the followers of its recording know of each other: each
 * holds a lock on a byte of the directory, which the kernel releases when the
 * holder is gone. While a follower is there, the recorder closes the buffers of
 * all processes a few times a second, and tells in DIR/.live up to which time
 * all events are on disk.
 */
#ifndef TRACES_FOLLOW_H
#define TRACES_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

/* The holder of a lock, which is the byte of the directory that it locks. */
enum follow_who {
	FOLLOW_RECORDER,
	FOLLOW_READER,
};

/* Holds the lock until the descriptor of the directory is closed. Returns 0 or
 * a negative errno: not every file system has such locks. */
int follow_hold(int dirfd, enum follow_who who);

/* Returns whether another process holds the lock. */
bool follow_held(int dirfd, enum follow_who who);

/* Return whether a recorder writes into the directory; or, if it is that of one
 * trace, into the one that this is in. */
bool follow_recorded(const char *path);
bool follow_recorded_at(int dirfd);

/* In the place of a time: all events come when the recording ends. */
#define FOLLOW_AT_END	(INT64_MIN + 1)

/* The news that a recorder tells. */
struct follow_news {
	int64_t ns;			/* a time of day: all events before it
					 * are on disk */
	uint64_t removed;		/* events that it has removed from disk
					 * (--max-size) */
#define FOLLOW_UNKNOWN	UINT64_MAX
};

/* Tell and read the news. A failure to tell removes the news: old ones would be
 * wrong. follow_read() returns false if nothing was told yet; the number of
 * events is FOLLOW_UNKNOWN where an earlier build has told. */
void follow_tell(int dirfd, const struct follow_news *news);
bool follow_read(int dirfd, struct follow_news *news);

/* Removes the news. */
void follow_end(int dirfd);

#endif
