/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The stub: connections of gdb, and the packets that they bring. Service thread
 * only.
 */
#ifndef GDBSTUB_STUB_CONNECT_H
#define GDBSTUB_STUB_CONNECT_H

/*
 * May the process's memory be shown to its user? As ptrace(2) sees it: not
 * of a process that is not dumpable, having rights that its user has not.
 * Asked anew at each packet, since a process may change its mind.
 */
int gdb_allowed(void);

/* Serves the listening socket: accepts one connection. */
int gdb_connect(int listener, void *arg);

/* A gdb is expected: gdb_idle() is false until it has come. */
void gdb_await(void);

/* Returns 1 when no gdb is expected or connected, and none has left a run. */
int gdb_idle(void);

#endif
