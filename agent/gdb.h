/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether, and since when, gdb may connect to this process. What it then
 * talks to is gdbstub/.
 */
#ifndef AGENT_GDB_H
#define AGENT_GDB_H

struct object;
struct patcher;

#define GDB_SOCKET	"gdb.sock"

/*
 * Opens the socket for gdb; no error when it is open. Returns 0, or why not:
 * -EPERM, -ENOSYS or what a system call said, and a text for the user in
 * *why. Service thread only.
 */
int gdb_open(const char **why);

/* Has gdb left nothing that needs the service thread: no connection, and no
 * run or frames of one? True where gdb's socket is not open; false from its
 * opening until a gdb has come. */
int gdb_rests(void);

/* The open socket stays, however many gdbs come and go. */
void gdb_keep(void);

/* A gdb has connected. */
void gdb_came(void);

/* The same for an open socket that a gdb has come to; weak as gdb_connect(). */
int gdb_idle(void) __attribute__((weak));

/* When a service thread begins: opens it if the environment asks for that. */
void gdb_start(void);

/*
 * May the process's memory be shown to its user? As ptrace(2) sees it: not
 * of a process that is not dumpable, having rights that its user has not.
 * Asked anew at each packet, since a process may change its mind.
 */
int gdb_allowed(void);

/*
 * Serves the listening socket: accepts one connection. gdbstub/ defines it;
 * the linker leaves NULL where that layer is left out, and no constructor has
 * to come before the service thread.
 */
int gdb_connect(int listener, void *arg) __attribute__((weak));

/* A module came while gdb's tracepoints may be on: as session_module_came(),
 * and weak as the above. */
void gdb_module_came(struct object *object, const struct patcher *patcher)
	__attribute__((weak));

/* Ends gdb's run, and takes away its frames. Weak as the above. */
void gdb_undo(void) __attribute__((weak));

#endif
