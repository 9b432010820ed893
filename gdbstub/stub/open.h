/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The socket for gdb: whether and when it is open. stub.c serves the gdbs that
 * connect.
 */
#ifndef GDBSTUB_STUB_OPEN_H
#define GDBSTUB_STUB_OPEN_H

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

#endif
