/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether, and since when, gdb may connect to this process. What it then
 * talks to is gdbstub/.
 */
#ifndef GDBSTUB_STUB_OPEN_H
#define GDBSTUB_STUB_OPEN_H

struct object;
struct patcher;

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

/*
 * May the process's memory be shown to its user? As ptrace(2) sees it: not
 * of a process that is not dumpable, having rights that its user has not.
 * Asked anew at each packet, since a process may change its mind.
 */
int gdb_allowed(void);

/* gdbstub/stub/stub.c: serves the listening socket, accepts one connection. */
int gdb_connect(int listener, void *arg);

/* The same file: a gdb is expected; gdb_idle() is false until it has come. */
void gdb_await(void);

/* Returns 1 when no gdb is expected or connected, and none has left a run. */
int gdb_idle(void);

/* gdbstub/tracing/run.c: a module came while gdb's tracepoints may be on; as
 * session_module_came(). */
void gdb_module_came(struct object *object, const struct patcher *patcher);

/* Ends gdb's run, and takes away its frames. */
void gdb_undo(void);

#endif
