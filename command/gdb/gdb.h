/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the parts of `taffrail gdb`.
 */
#ifndef COMMAND_GDB_GDB_H
#define COMMAND_GDB_GDB_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define GDB_PATH_BYTES	(PATH_MAX + 16)

/*
 * socket.c: has the agent of a process open the socket for gdb, unless that is
 * open, and gives the path. The socket stays until one gdb has come and gone,
 * or with `keep` after that, too. Returns COMMAND_DONE, or COMMAND_FAILED after
 * printing why.
 */
int gdb_open_socket(char path[GDB_PATH_BYTES], pid_t pid, bool keep);

/* gdb.c: returns the gdb that `taffrail gdb` starts: GDB in the environment, or
 * "gdb". */
const char *gdb_name(void);

/* socket.c: returns true when the two paths name one file; false also when one
 * names none. */
bool gdb_same_file(const char *a, const char *b);

/*
 * listen.c: accepts gdbs at ADDRESS ("[HOST:]PORT", of the loopback interface)
 * and relays each to the process's socket, until the process has ended. Returns
 * COMMAND_DONE; COMMAND_FAILED or COMMAND_USAGE after printing why.
 */
int gdb_listen(const char *address, pid_t pid);

/*
 * peer.c: checks whether the peer of this TCP connection of the loopback
 * interface may look at our processes. Returns 0; or a negative errno, and a
 * text: -EPERM the peer is another user's, -ESRCH the user is not known.
 */
int gdb_check_peer(int fd, const char **why);

#endif
