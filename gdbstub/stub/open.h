/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The socket for gdb, and the connections of gdb that it brings: open.c opens
 * the socket, stub.c serves the packets of gdb. Service thread only.
 */
#ifndef GDBSTUB_STUB_OPEN_H
#define GDBSTUB_STUB_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "control/causes.h"

/*
 * Opens the socket for gdb, if it is not open. Returns 0; or -EPERM, or the
 * error of a system call, and the cause in *cause. Service thread only.
 */
int gdb_open(enum cause_id *cause);

/*
 * Returns how many sockets for gdb are open, when gdb does not need the service
 * thread: there is no connection, and no run or frames of a run. Else returns
 * -1; also between the opening and the first gdb.
 */
int gdb_resting(void);

/* Keeps the open socket, however many gdbs come and go. */
void gdb_keep(void);

/* Opens the socket if the environment asks for it. Called when a service thread
 * begins. */
void gdb_start(void);

/*
 * Returns true when the process's memory may be shown to the user. The rule is
 * that of ptrace(2): not when the process is not dumpable, because it has
 * rights that the user does not have. The stub asks again at each packet,
 * because a process may become dumpable or cease to be.
 */
bool gdb_allowed(void);

/* Serves the listening socket: accepts one connection. */
int gdb_connect(int listener, void *arg);

/* Sends the texts of dprintf for which a gdb waits. Returns the milliseconds
 * until it must be called again, or -1: none waits. */
int64_t gdb_look(void);

/* Returns true when a gdb is connected. */
bool gdb_connected(void);

/* Says that a gdb is expected: gdb_idle() returns 0 until it has come. */
void gdb_await(void);

/* Returns true when no gdb is expected or connected, and no gdb has left a run.
 */
bool gdb_idle(void);

#endif
