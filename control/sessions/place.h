/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a process keeps its files; see place.c.
 */
#ifndef CONTROL_SESSIONS_PLACE_H
#define CONTROL_SESSIONS_PLACE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of a struct process_page's mapping. */
#define PROCESS_BYTES	4096

/* The runtime directory, and PID.STARTTIME/ in it; set by place_open(). */
extern char place_runtime[200];
extern char place_process[240];

/* Why place_open() uses no directory, in words; NULL: its error tells. */
extern const char *place_failure;

/*
 * Creates or finds the runtime directory, PID.STARTTIME/ and IMAGE/ in it,
 * and the process page; sets `process`. In a thread of the agent's own.
 * Returns 0 or a negative errno.
 */
int place_open(void);

/*
 * Holds a lock on the process page's file as long as the process's memory
 * lives, whatever becomes of the service thread, which calls it: whoever can
 * take it (flock) knows that this image is gone, killed or replaced. Returns 0
 * or a negative errno; again and again is the same as once.
 */
int place_lock(void);

/* Takes the process's files back at exit; `keep` what a session has written.
 * Any thread: it opens nothing. */
void place_close(int keep);

/* Tells whoever watches that markers came or went. */
void place_markers_changed(void);

/*
 * Lets a group in, until the process ends: children, too. Returns 0, -EBUSY
 * when another is in already, or why the files cannot be given to it (-EPERM:
 * the process is not in it). In a thread of the agent's own.
 */
int place_share(uint32_t group);

/* The same again for what place_open() has made in a child; nothing when no
 * group is in. What fails stays its user's alone. */
int place_share_directories(void);

/* Rights of a socket that was just made: its user's, and the group's. */
int place_share_socket(const char *path);

/* PID.STARTTIME/NAME: "control.sock", "gdb.sock" */
#define PLACE_SOCKET_BYTES	280
void place_socket_path(char *path, size_t size, const char *name);

#endif
