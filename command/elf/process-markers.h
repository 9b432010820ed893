/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The markers of a process, found from outside: out of /proc/PID/maps and the
 * files that are mapped. The process needs no agent, and none of its threads
 * has to run.
 */
#ifndef COMMAND_ELF_PROCESS_MARKERS_H
#define COMMAND_ELF_PROCESS_MARKERS_H

#include <sys/types.h>

#include "command/elf/markers.h"

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

#endif
