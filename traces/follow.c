/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks by which a recorder and its followers know of each other.
 *
 * Invariant: both hold read locks, so none waits for another, and a look asks
 * for a write lock that is never taken.
 */
#include "traces/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define LIVE_FILE	".live"

/* Returns the lock on the byte of one of the two. */
static struct flock byte_of(enum follow_who who, short type)
{
	return (struct flock){ .l_type = type, .l_whence = SEEK_SET,
			       .l_start = who, .l_len = 1 };
}

int follow_hold(int dirfd, enum follow_who who)
{
	struct flock lock = byte_of(who, F_RDLCK);

	return fcntl(dirfd, F_OFD_SETLK, &lock) ? -errno : 0;
}

bool follow_held(int dirfd, enum follow_who who)
{
	struct flock lock = byte_of(who, F_WRLCK);

	return !fcntl(dirfd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

bool follow_recorded_at(int dirfd)
{
	bool recorded = follow_held(dirfd, FOLLOW_RECORDER);
	int above = -1;

	/* the recorder locks the directory of all traces */
	if (!recorded && !faccessat(dirfd, "metadata", F_OK, 0))
		above = openat(dirfd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (above >= 0) {
		recorded = follow_held(above, FOLLOW_RECORDER);
		close(above);
	}
	return recorded;
}

bool follow_recorded(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool recorded = fd >= 0 && follow_recorded_at(fd);

	if (fd >= 0)
		close(fd);
	return recorded;
}

void follow_tell(int dirfd, const struct follow_news *news)
{
	int fd = openat(dirfd, LIVE_FILE,
			O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);

	if (fd < 0)
		return;
	if (pwrite(fd, news, sizeof(*news), 0) != sizeof(*news))
		unlinkat(dirfd, LIVE_FILE, 0);
	close(fd);
}

bool follow_read(int dirfd, struct follow_news *news)
{
	int fd = openat(dirfd, LIVE_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd >= 0 ? pread(fd, news, sizeof(*news), 0) : 0;

	/* recorders told the time alone once */
	if (n < (ssize_t)sizeof(*news))
		news->removed = FOLLOW_UNKNOWN;

	if (fd >= 0)
		close(fd);
	return n >= (ssize_t)sizeof(news->ns);
}

void follow_end(int dirfd)
{
	unlinkat(dirfd, LIVE_FILE, 0);
}
