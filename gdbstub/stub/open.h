/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether, and since when, gdb may connect to this process. What it then talks
 * to is stub.c.
 */
#ifndef GDBSTUB_STUB_OPEN_H
#define GDBSTUB_STUB_OPEN_H

/*
 * Opens the socket for gdb; no error when it is open. Returns 0, or why not:
 * -EPERM or what a system call said, and a text for the user in
 * *why. Service thread only.
 */
int gdb_open(const char **why);

/*
 * How many sockets for gdb are open, where gdb has left nothing that needs the
 * service thread: no connection, and no run or frames of one. Else -1, as from
 * the opening until a gdb has come.
 */
int gdb_resting(void);

/* The open socket stays, however many gdbs come and go. */
void gdb_keep(void);

/* When a service thread begins: opens it if the environment asks for that. */
void gdb_start(void);

#endif
