/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts of the rings that the limit of dead processes' rings has removed, by
 * session. Agents count (control/sessions/budget.c); commands tell the counts.
 *
 * Invariant: the rows have no gap, so the first empty one ends them. A row is
 * cleared only after the followers of the session were told.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "command/runtime/private.h"

#define READ_ROUNDS	8

/*
 * Reads all rows, until two readings are the same: a command may be moving the
 * last one. Needs no lock, which a stopped follower would keep: agents make no
 * rings without it. Returns their number; they are valid until the next call.
 */
static int read_rows(int fd, struct keep_row **rows)
{
	static struct keep_row read[2][KEEP_ROWS];
	ssize_t bytes, before = -1;
	int n = 0;

	for (int i = 0; i < READ_ROUNDS; i++) {
		*rows = read[i % 2];
		bytes = pread(fd, *rows, sizeof(read[0]), 0);
		if (bytes <= 0)
			return 0;
		if (bytes == before && !memcmp(read[0], read[1], (size_t)bytes))
			break;
		before = bytes;
	}
	while (n < (int)((size_t)bytes / sizeof(**rows)) &&
	       (*rows)[n].processes)
		(*rows)[n++].session[SESSION_NAME_BYTES - 1] = '\0';
	return n;
}

void rundir_each_removed(struct rundir *dir, const char *clear,
			 void (*call)(const struct keep_row *row, void *priv),
			 void *priv)
{
	static const struct keep_row none;
	const size_t bytes = sizeof(none);
	struct keep_row *rows;
	int n, lock = -1, found = -1;
	int fd = dir->fd < 0 ? -1 :
		 rundir_open_own(dir->fd, KEEP_LEDGER, O_RDWR, dir->uid);
	ssize_t put = 0;

	if (fd < 0)
		return;
	/* a private descriptor: flock belongs to the open file */
	if (clear)
		lock = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lock >= 0)
		rundir_take_turn(lock);
	n = read_rows(fd, &rows);
	for (int i = 0; i < n; i++) {
		if (clear && !strcmp(rows[i].session, clear)) {
			rundir_tell_followers_limit(dir, &rows[i]);
			found = i;
		}
		if (call)
			call(&rows[i], priv);
	}
	/* the last row takes the place of that one; the file goes with it */
	if (found >= 0 && n == 1) {
		unlinkat(dir->fd, KEEP_LEDGER, 0);
	} else if (found >= 0) {
		if (found != n - 1)
			put = pwrite(fd, &rows[n - 1], bytes,
				     found * (off_t)bytes);
		if (put >= 0)
			put = pwrite(fd, &none, bytes, (n - 1) * (off_t)bytes);
	}
	if (lock >= 0)
		close(lock);
	close(fd);
}
