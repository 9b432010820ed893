/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts of the rings that the limit of dead processes' rings has removed, by
 * session. Agents count
 * it (control/sessions/budget.c); commands tell it.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/runtime/private.h"

#define READ_ROUNDS	8

/* Returns a descriptor of the file of these counts, or -1. */
static int open_ledger(const struct rundir *dir)
{
	struct stat st;
	int fd = dir->fd < 0 ? -1 :
		 openat(dir->fd, KEEP_LEDGER, O_RDWR | O_NOFOLLOW | O_CLOEXEC |
			O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
			st.st_uid != dir->uid)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Replaces row i by the last one, so the rows stay without a gap; removes the
 * file with the last row. */
static void drop_row(const struct rundir *dir, int fd, int i)
{
	struct keep_row last, none = { .processes = 0 };
	int n = i;

	while (n + 1 < KEEP_ROWS &&
	       pread(fd, &last, sizeof(last), (n + 1) * sizeof(last)) ==
		       (ssize_t)sizeof(last) && last.processes)
		n++;
	if (n != i && (pread(fd, &last, sizeof(last), n * sizeof(last)) < 0 ||
		       pwrite(fd, &last, sizeof(last), i * sizeof(last)) < 0))
		return;
	if (!n)
		unlinkat(dir->fd, KEEP_LEDGER, 0);
	else if (pwrite(fd, &none, sizeof(none), n * sizeof(none)) < 0)
		return;
}

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
	struct keep_row *rows;
	int n, lock = -1, found = -1, fd = open_ledger(dir);

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
	if (found >= 0)
		drop_row(dir, fd, found);
	if (lock >= 0)
		close(lock);
	close(fd);
}
