/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens files that other processes name, in a child of this command: a file
 * system may be served by a program (FUSE) or another machine that never
 * answers, and no signal ends such a wait. The child has limits; a command
 * leaves a child that does not answer behind.
 *
 * Invariant: this process touches no such file by the path, and has no
 * descriptor of one, as even the close may wait, unless the child has found
 * that the file system is local. Of other files this process gets a copy.
 */
#ifndef COMMAND_SANDBOX_OPENER_H
#define COMMAND_SANDBOX_OPENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct opener_file {
	int fd;			/* to read: the file itself, or a copy */
	bool copied;		/* it is of no local file system */
	struct stat st;		/* of the file itself, before the bytes */
	int64_t system;		/* the file system: f_type of statfs(2) */
	uint32_t major, minor;	/* the device as /proc/PID/maps shows it: on
				 * some file systems (btrfs, overlayfs) another
				 * than `st` has */
};

/*
 * Opens a regular file for reading. A device or FIFO at the path is not opened:
 * that alone may have an effect. With `inode`, the file must have that number;
 * 0: any. Returns 0, and opener_close() must be called; or a negative errno:
 * -ETIMEDOUT if there is no answer, or no child, which is printed; -EINVAL if
 * the file is no regular one; -ESTALE if it has another number, or changes;
 * -EFBIG if it is too large for a copy. Not for several threads at a time, as
 * all functions here.
 */
int opener_open(struct opener_file *file, const char *path, uint64_t inode);

/* Closes the file, which cannot wait: it is local, or a copy. */
void opener_close(struct opener_file *file);

/* Returns whether two looks were at one file that did not change between. */
bool opener_same_state(const struct stat *a, const struct stat *b);

/* Does the same as stat(2). Returns 0 or a negative errno, -ETIMEDOUT as above.
 */
int opener_stat(const char *path, struct stat *st);

/* Ends the child. The next one has the rights that the calling thread has
 * then. */
void opener_end(void);

#endif
