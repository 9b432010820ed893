/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening what stands in the runtime directory, inside a traced program.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdint.h>

/* The user to whom the runtime directory belongs; place_open() sets it. */
extern uint32_t file_owner;

/*
 * Opens `path` (below the directory `at`, or AT_FDCWD) with the access mode
 * `flags`, if it is a regular file of the user's, of `least` to `most` bytes.
 * Returns a descriptor, which an exec closes, or a negative errno: -ELOOP for
 * a symlink, -EPERM for another kind of file or another user's, -EFBIG or
 * -ENODATA for another size. Never waits. In a thread of the agent's own.
 */
int file_open(int at, const char *path, int flags, uint64_t least,
	      uint64_t most);

/*
 * The same for a directory of the user's. -EPERM also for one that group or
 * others may write to: nothing in it can be trusted.
 */
int file_open_directory(int at, const char *path);

/* Returns whether `name` is one component of a path, without a dot in front. */
int file_name_plain(const char *name);

#endif
