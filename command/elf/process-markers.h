/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the markers of a process from outside, through /proc/PID/maps and the
 * mapped files. The process needs no agent, and none of its threads has to run.
 */
#ifndef COMMAND_ELF_PROCESS_MARKERS_H
#define COMMAND_ELF_PROCESS_MARKERS_H

#include <sys/types.h>

#include "command/elf/markers.h"

/*
 * Adds the process's markers (no USDT probes), at their addresses in the
 * process; those of a file that is gone or was replaced by its memory. Returns
 * 0, or a negative errno: the process cannot be read, or -ENOMEM.
 */
int process_markers_read(struct marker_list *list, pid_t pid);

/* The same for the USDT probes that are no markers. Leaves out those of modules
 * that process_each_unread() tells. */
int process_probes_read(struct marker_list *list, pid_t pid);

/* Decides between byte and jump, or byte and int3, for a process that has the
 * probes, by its mappings now. */
void placement_settle(struct marker_list *list, pid_t pid);

/*
 * Calls `call` for each module whose USDT probes cannot be read: its file was
 * removed or replaced, and this command or the process may not open it by its
 * mapping. `path` is its name, without the kernel's " (deleted)"; `now` is the
 * path by which this command reaches what has that name now, or "". Leaves out
 * the agent, libc and the dynamic linker. Returns how many there are, or a
 * negative errno.
 */
int process_each_unread(pid_t pid,
			void (*call)(const char *path, const char *now,
				     void *arg),
			void *arg);

/*
 * Gives the address of a symbol in a process: in a mapped file whose name
 * contains `file`, or in its executable. Returns 0 or a negative errno.
 */
int process_symbol(pid_t pid, const char *file, const char *name,
		   uint64_t *address);

#endif
