/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names in a directory, without libc.
 */
#ifndef BASE_ENTRIES_H
#define BASE_ENTRIES_H

/*
 * Calls `call` for each name in the directory that `fd` is open on, but not for
 * names that begin with a dot.
 */
void entries_each(int fd, void (*call)(int fd, const char *name, void *arg),
		  void *arg);

#endif
