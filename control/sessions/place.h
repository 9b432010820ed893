/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a process keeps files; see place.c.
 */
#ifndef CONTROL_SESSIONS_PLACE_H
#define CONTROL_SESSIONS_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "buffers/layout.h"
#include "control/protocol.h"

/* Bytes of a struct process_page's mapping. */
#define PROCESS_BYTES	4096

/* The runtime directory, and PID.STARTTIME/ in it; place_open() sets them. */
extern char place_runtime[PROTOCOL_DIR_BYTES];
extern char place_process[240];

/* Text of process_page.faults; a forked child's page gets a copy. */
extern char place_faults[PROCESS_FAULT_BYTES];
extern uint32_t place_fault_bytes;

/* Copies them to a page. Commands read a page at any time: the bytes are
 * counted last. */
void place_faults_publish(struct process_page *page);

/* The reason why place_open() uses no directory; NULL: the error says all. */
extern const char *place_failure;

/* Adds the path of the directory of a user whose processes have no setting for
 * it. SIGSAFE. */
struct text;
void place_default(struct text *text, uint32_t uid);

/* Learns the rate of the clock, and notes it in the process page, before the
 * first session: `told`, in Hz, or 0 (clock_settle()). In one of the agent's
 * threads. */
void place_clock_settle(uint64_t told);

/* Returns the 16 bytes that tell a boot of the machine from others; 0 where
 * /proc does not. The caller may open files. */
const uint8_t *place_boot_id(void);

/* Notes the boot ID, and the number of this process's PID namespace
 * (place_namespace()), that a recorder has found: it is at work, and in this
 * namespace. The first process page needs them. Call it at start. */
void place_told(const uint8_t boot[static 16], uint64_t number);

/* Sets place_runtime by the settings. Returns 0, or -ENAMETOOLONG and
 * place_failure. */
int place_choose(void);

/* Tells the runtime directory from another one at the same path:
 * PROTOCOL_PLACE_ID() of it. A forked child has the parent's before the first
 * event. */
extern uint64_t place_id;

/* Returns true where `error` is -EACCES, though the runtime directory and those
 * of the process give the effective user, who owns them, all rights: a security
 * module forbids it (Landlock). SIGSAFE. */
bool place_forbidden(int error);

/* Returns why a step in the process's directories has failed with this negative
 * errno: the number of a CAUSE_SESSION_... that says how the program has
 * changed since it made them (user, root directory, a restriction). 0: it has
 * not, and the errno says all that is known. SIGSAFE. */
uint32_t place_denial(int error);

/* Returns true when a security module forbids the calling thread, which has a
 * private descriptor table, to write in the process's directory. */
bool place_shut(void);

/*
 * Creates or finds the runtime directory, PID.STARTTIME/ and IMAGE/ in it,
 * and the process page, which it locks; sets `process`. Call it in one of the
 * agent's threads. Returns 0 or a negative errno.
 */
int place_open(void);

/* Opens sessions/ in the runtime directory. Returns a descriptor or a negative
 * errno. The caller may open files. */
int place_sessions_open(void);

/* Has place_sessions_open() in the calling thread return copies of `fd`, until
 * the next call; -1: ends that. */
void place_sessions_keep(int fd);

/*
 * Locks (flock) the process page's file as long as the process's memory lives.
 * The lock outlives the thread that calls it. A command that can take the lock
 * knows that this image is gone: exited, killed or replaced. place_open() calls
 * it, and the service thread once more, where that failed. Returns 0 or a
 * negative errno; more calls change nothing.
 */
int place_lock(void);

/*
 * Reads /proc/PID/stat, with `pid` 0 of this process, and returns where a field
 * (proc(5)) begins in the buffer; NULL when it cannot be read. The name in
 * field 2 may contain any character, so fields are counted from the last ')'.
 * Call it in one of the agent's threads.
 */
#define PLACE_STAT_BYTES	1280
const char *place_stat(int64_t pid, int field, char buffer[PLACE_STAT_BYTES]);

/* Return the number in the name of a process's directory, and the process's
 * parent, which is 0 where that cannot be seen. `pid` 0 is this process.
 * Call them in one of the agent's threads, as place_alive(). */
uint64_t place_number(int64_t pid);
int64_t place_parent(int64_t pid);

/* Returns the upper bits of that number for this process: 0 in the first PID
 * namespace, and where /proc cannot be read. Same callers. */
uint64_t place_namespace_own(void);

/* Returns true when the process of directory PID.NUMBER lives in this PID
 * namespace; 0 when it does not, or is in another one. */
bool place_alive(int64_t pid, uint64_t number);

/* Removes the process's files at exit. With `keep`, only the sockets: the files
 * of sessions stay. Any thread may call it: it opens nothing. */
void place_close(int keep);

/* Counts in the process page that markers came or went. */
void place_markers_changed(void);

/*
 * Lets a group into this process and the children, until they end. Returns 0,
 * -EBUSY when another group is in already, or why the files cannot be given to
 * the group (-EPERM: the process is not in it). Call it in one of the agent's
 * threads.
 */
int place_share(uint32_t group);

/* Gives the files that place_open() has made in a child to the group; does
 * nothing when no group is in. Files that fail stay their user's alone. */
int place_share_directories(void);

/* Gives a socket that was just made the rights of the user and of the group. */
int place_share_socket(const char *path);

/* Writes the path of a socket, PID.STARTTIME/NAME ("control.sock", "gdb.sock"),
 * with the runtime directory. */
#define PLACE_SOCKET_BYTES	280
void place_socket_path(char *path, size_t size, const char *name);

#endif
