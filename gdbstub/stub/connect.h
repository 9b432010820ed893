/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The stub: connections of gdb, and the packets that they bring. Service thread
 * only.
 */
#ifndef GDBSTUB_STUB_CONNECT_H
#define GDBSTUB_STUB_CONNECT_H

/*
 * Returns 1 when the process's memory may be shown to its user. The rule is
 * that of ptrace(2): not when the process is not dumpable, because it has
 * rights that its user does not have. The stub asks again at each packet,
 * because a process may become dumpable or cease to be.
 */
int gdb_allowed(void);

/* Serves the listening socket: accepts one connection. */
int gdb_connect(int listener, void *arg);

/* Returns 1 when a gdb is connected. */
int gdb_connected(void);

/* Says that a gdb is expected: gdb_idle() returns 0 until it has come. */
void gdb_await(void);

/* Returns 1 when no gdb is expected or connected, and no gdb has left a run. */
int gdb_idle(void);

#endif
