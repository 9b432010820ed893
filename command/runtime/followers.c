/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sessions/.followed.NAME: commands that read a session's rings as they fill
 * hold a lock on it. A command that removes such rings while one is held adds a
 * row, so a follower can tell which events it has not read.
 *
 * Invariant: a row comes before the files go. A file that no follower holds is
 * removed by the next command that would add a row, or by a sweep. A command
 * that removes it holds the exclusive lock on it, so the name is not of another
 * file by then. A follower, which may be stopped at any moment, never holds a
 * lock for which other commands wait.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command/runtime/private.h"

#define FOLLOWED_PREFIX		".followed."
#define FOLLOWED_BYTES_MAX	(1u << 20)
#define FOLLOWED_ROWS_MAX	(FOLLOWED_BYTES_MAX / 64)
#define OPEN_ROUNDS		100
#define OPEN_PAUSE_NS		10000000

/* The first row of the file. */
struct followed_head {
	uint64_t begun;			/* how often the rows began again */
	uint64_t images;		/* of all rows ever, also of those for
					 * which there was no room */
	uint64_t events;
	uint64_t unused[5];
};

_Static_assert(sizeof(struct followed_head) ==
	       sizeof(struct rundir_removed_row) &&
	       sizeof(struct rundir_removed_row) == 64, "rows");

static void followed_name(char file[NAME_MAX + 1], const char *session)
{
	snprintf(file, NAME_MAX + 1, FOLLOWED_PREFIX "%s", session);
}

/* Opens the file, which must be a regular one of the directory's user. With
 * O_CREAT makes it where there is none, and gives it to that user; one that is
 * there may be a link to another user's. */
static int open_followed(int below, const char *session, int flags)
{
	const int more = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	char file[NAME_MAX + 1];
	bool made = false;
	struct stat dir, st;
	int fd = -1;

	followed_name(file, session);
	if (flags & O_CREAT) {
		fd = openat(below, file, flags | O_EXCL | more, 0600);
		made = fd >= 0;
	}
	if (fd < 0)
		fd = openat(below, file, (flags & ~O_CREAT) | more);
	if (fd < 0)
		return -errno;
	if (fstat(below, &dir) || fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    (st.st_uid != dir.st_uid &&
	     (!made || fchown(fd, dir.st_uid, -1)))) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

/* Returns true when the open file still has a name: no command removed it. */
static bool is_linked(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_nlink;
}

/* Returns a descriptor of the file if a follower holds it, else -1; removes a
 * file that was left. */
static int open_held(int below, const char *session)
{
	char file[NAME_MAX + 1];
	int fd = below < 0 ? -1 : open_followed(below, session, O_RDWR);

	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return fd;
	followed_name(file, session);
	if (is_linked(fd))
		unlinkat(below, file, 0);
	close(fd);
	return -1;
}

/* Opens sessions/ beside a process's directory. Returns a descriptor or a
 * negative errno. */
static int open_beside(const struct rundir_process *process)
{
	struct rundir dir;
	int below;

	/* shared rings are in sessions/ */
	if (rundir_is_shared(process))
		return openat(process->fd, "..",
			      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	below = rundir_open_around(&dir, process);
	if (below)
		return below;
	below = rundir_open_rules(&dir, false);
	rundir_close(&dir);
	return below;
}

/* Returns true when a follower holds the file; removes a file that was left. */
static bool is_held(int below, const char *session)
{
	int fd = open_held(below, session);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool rundir_followed(const struct rundir_process *process, const char *session)
{
	int below = open_beside(process);
	bool held = is_held(below, session);

	if (below >= 0)
		close(below);
	return held;
}

/* Writes a row, if there is room; the head has room since a follower came. */
static void row_put(int fd, const void *row, off_t at)
{
	if (pwrite(fd, row, sizeof(struct rundir_removed_row), at) < 0)
		return;
}

/* Adds a row if a follower holds the session's file, and closes `below`,
 * sessions/. Followers read the rows without a lock: the row comes first, then
 * the count. Other commands that add rows wait until `below` is closed. */
static void row_add(int below, const char *session,
		    const struct rundir_removed_row *row)
{
	struct followed_head head = { 0 };
	int fd = open_held(below, session);
	struct stat st;
	off_t at;

	if (fd >= 0)
		rundir_take_turn(below);
	if (fd >= 0 && !fstat(fd, &st) &&
	    pread(fd, &head, sizeof(head), 0) >= 0) {
		/* a row that was cut for want of room is overwritten */
		at = st.st_size - st.st_size % (off_t)sizeof(*row);
		if (at >= FOLLOWED_BYTES_MAX && !ftruncate(fd, sizeof(head))) {
			head.begun++;
			at = sizeof(head);
		}
		if (at < (off_t)sizeof(head))
			at = sizeof(head);
		row_put(fd, row, at);
		head.images += row->images;
		head.events += row->events;
		row_put(fd, &head, 0);
	}
	if (fd >= 0)
		close(fd);
	if (below >= 0)
		close(below);
}

void rundir_tell_followers(const struct rundir_process *process, uint32_t image,
			   const struct session_page *page)
{
	struct rundir_removed_row row = {
		.serial = page->serial, .image = image, .images = 1,
	};

	/* to count is much work, and mostly nobody follows */
	if (!rundir_followed(process, page->name))
		return;
	snprintf(row.process, sizeof(row.process), "%.*s",
		 (int)sizeof(row.process) - 1, process->name);
	row.events = rundir_count_events(process, image, page->index) +
		     page->lost_unplaced;
	row_add(open_beside(process), page->name, &row);
}

void rundir_tell_followers_limit(const struct rundir *dir,
				 const struct keep_row *limit)
{
	struct rundir_removed_row row = {
		.process = RUNDIR_ROW_LIMIT,
		.images = (uint32_t)limit->processes,
		.events = limit->events,
	};

	row_add(rundir_open_rules(dir, false), limit->session, &row);
}

/* Makes the file, or opens it, and holds it. One that was left may be removed
 * meanwhile. Returns a descriptor or a negative errno. */
static int followed_hold(int below, const char *session)
{
	static const struct timespec pause = { .tv_nsec = OPEN_PAUSE_NS };

	for (int i = 0; i < OPEN_ROUNDS; i++) {
		int fd = open_followed(below, session, O_RDWR | O_CREAT);

		if (fd >= 0 && !flock(fd, LOCK_SH | LOCK_NB) && is_linked(fd))
			return fd;
		/* another command of root's is making it */
		if (fd < 0 && fd != -ENOENT && (fd != -EPERM || geteuid()))
			return fd;
		if (fd >= 0)
			close(fd);
		nanosleep(&pause, NULL);
	}
	return -EAGAIN;
}

int rundir_follow(struct rundir_follower *follower, int top, uid_t uid,
		  const char *session)
{
	struct rundir dir = { .fd = top, .uid = uid };
	struct followed_head head = { 0 };
	struct stat st;
	int below = rundir_open_rules(&dir, true);
	int fd = below < 0 ? below : followed_hold(below, session);

	*follower = (struct rundir_follower){ .fd = -1 };
	if (fd >= 0 && fstat(fd, &st)) {
		close(fd);
		fd = -EIO;
	}
	if (fd < 0) {
		if (below >= 0)
			close(below);
		return fd;
	}
	/* written now, it has room when a row has none */
	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) &&
	    pwrite(fd, &head, sizeof(head), 0) != sizeof(head))
		memset(&head, 0, sizeof(head));
	follower->fd = fd;
	follower->below = below;
	follower->begun = head.begun;
	follower->images = head.images;
	follower->events = head.events;
	follower->at = st.st_size < (off_t)sizeof(head) ? (off_t)sizeof(head) :
							  st.st_size;
	snprintf(follower->session, sizeof(follower->session), "%s", session);
	return 0;
}

void rundir_removed_rows(struct rundir_follower *follower,
			 void (*call)(const struct rundir_removed_row *row,
				      void *priv),
			 void *priv)
{
	struct followed_head head = { 0 };
	struct rundir_removed_row row;

	/* the head first: the rows that it counts are there */
	if (follower->fd < 0 ||
	    pread(follower->fd, &head, sizeof(head), 0) != sizeof(head))
		return;
	if (head.begun != follower->begun)
		follower->at = sizeof(head);
	follower->begun = head.begun;
	/* commands do not write more, whatever the file has */
	for (size_t i = 0; i < FOLLOWED_ROWS_MAX &&
			   pread(follower->fd, &row, sizeof(row),
				 follower->at) == sizeof(row); i++) {
		row.process[sizeof(row.process) - 1] = '\0';
		follower->at += sizeof(row);
		follower->images += row.images;
		follower->events += row.events;
		call(&row, priv);
	}
	if (head.images <= follower->images)
		return;
	row = (struct rundir_removed_row){
		.process = RUNDIR_ROW_MORE,
		.images = (uint32_t)(head.images - follower->images),
		.events = head.events > follower->events ?
				  head.events - follower->events : 0,
	};
	follower->images = head.images;
	follower->events = head.events;
	call(&row, priv);
}

void rundir_unfollow(struct rundir_follower *follower)
{
	if (follower->fd < 0)
		return;
	close(follower->fd);
	/* removes the file, unless there is another follower */
	is_held(follower->below, follower->session);
	follower->fd = -1;
	close(follower->below);
}

void rundir_followers_sweep(const struct rundir *dir)
{
	struct rules_list list = { 0 };
	const char *name;

	while ((name = rundir_rules_next(&list, dir, FOLLOWED_PREFIX)))
		is_held(dirfd(list.stream), name);
}
