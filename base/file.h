/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens and makes files in the runtime directory, inside a traced program.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stdint.h>

/* The user to whom the runtime directory belongs; place_open() sets it. */
extern uint32_t file_owner;

/*
 * Opens `path` (below the directory `at`, or AT_FDCWD) with the access mode
 * `flags`, if it is a regular file of the user's, of `least` to `most` bytes.
 * Returns a descriptor, which an exec closes, or a negative errno: -ELOOP for
 * a symlink, -EPERM for another kind of file or another user's, -EFBIG or
 * -ENODATA for another size. Never waits. Call it in one of the agent's
 * threads.
 */
int file_open(int at, const char *path, int flags, uint64_t least,
	      uint64_t most);

/*
 * Does the same for a directory of the user's. Returns -EPERM also when the
 * group or others may write to it: then nothing in it can be trusted.
 */
int file_open_directory(int at, const char *path);

/*
 * Makes a file of mode 0600 that was not there, and opens it with the access
 * mode `flags`; and a directory of mode 0700. The program's umask, which may
 * take rights from the owner, does not matter, and is not changed. Return a
 * descriptor, or 0 for a directory; or a negative errno, and then made nothing.
 */
int file_make(int at, const char *path, int flags);
int file_make_directory(int at, const char *path);

/*
 * Calls `call` for each name in the directory that `fd` is open on, but not for
 * names that begin with a dot. Makes getdents64(2) from the descriptor's offset
 * on: a second pass needs lseek(2) first.
 */
void entries_each(int fd, void (*call)(int fd, const char *name, void *arg),
		  void *arg);

/* Does so for the names that begin with a dot, "." and ".." among them. */
void entries_each_dotted(int fd,
			 void (*call)(int fd, const char *name, void *arg),
			 void *arg);

/* Returns true when `name` is one component of a path, without a leading dot.
 * SIGSAFE. */
bool file_name_plain(const char *name);

#endif
