/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The markers of a process, found from outside: out of /proc/PID/maps and the
 * files that are mapped. The process needs no agent, and none of its threads
 * has to run.
 */
#ifndef COMMAND_PROCESS_MARKERS_H
#define COMMAND_PROCESS_MARKERS_H

#include <sys/types.h>

#include "command/markers.h"

/*
 * Add the process's markers (no USDT probes), at the addresses where they are
 * now. A file that is gone or was replaced is left out. 0, or a negative
 * errno: the process is not to be read, -ENOMEM.
 */
int process_markers_read(struct marker_list *list, pid_t pid);

/* The same for the USDT probes that are no markers. */
int process_probes_read(struct marker_list *list, pid_t pid);

/*
 * Where a process has a symbol: in one of its files whose name holds `file`, or
 * in its executable. 0, or a negative errno.
 */
int process_symbol(pid_t pid, const char *file, const char *name,
		   uint64_t *address);

/* A number in /proc/PID/status ("Tgid", "TracerPid"); -1 when not there. */
long process_status(pid_t pid, const char *word);

/* Is a file mapped whose name (without its folder) is `name`? */
bool process_maps_file(pid_t pid, const char *name);
/* One whose name begins so? */
bool process_maps_beginning(pid_t pid, const char *name);

/* Does the process map a file there, executable? */
bool process_executes(pid_t pid, uint64_t address);

#endif
