/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the markers of a process from outside, through /proc/PID/maps and the
 * mapped files. The process needs no agent, and none of its threads has to run.
 */
#ifndef COMMAND_ELF_PROCESS_MARKERS_H
#define COMMAND_ELF_PROCESS_MARKERS_H

#include <limits.h>
#include <sys/types.h>

#include "command/elf/markers.h"

#define MARKERS_FAULT_BYTES	(PATH_MAX + SYMBOLISER_ERROR_BYTES + 2)

/*
 * Adds the process's markers (no USDT probes), at the process's addresses; with
 * SYMBOLISER_LTTNG in `how`, which is 0 otherwise, events of LTTng-UST, too;
 * markers of a file that is gone or was replaced are read from the memory.
 * Returns 0, or a negative errno: the process cannot be read, or -ENOMEM. With
 * `fault`, which may be NULL, tells the first file of which a marker or USDT
 * probe was left out, or all: "FILE: why", or "".
 */
int process_markers_read(struct marker_list *list, pid_t pid, uint32_t how,
			 char fault[MARKERS_FAULT_BYTES]);

/* Does the same for the USDT probes that are no markers. Leaves out those of
 * modules that process_each_unread() tells. */
int process_probes_read(struct marker_list *list, pid_t pid);

/* Tells whether a module is wanted: others are not read. */
typedef bool process_wanted(const char *path, void *arg);

/* Calls `module` for each module that an agent in the process may read and that
 * `wanted`, unless it is NULL, wants, with the names that rules know
 * (module-names.h) and the list that the symboliser makes of it (`how`), at the
 * process's addresses. The list is freed after the call. A call that returns
 * other than 0 ends the reading, which returns that; else 0, or a negative
 * errno as above. */
typedef int process_module(const char *path, const char *names,
			   struct marker_list *list, void *arg);
int process_each_module(pid_t pid, uint32_t how, process_wanted *wanted,
			process_module *module, void *arg);

/* Returns true for files of an agent, which have no sites for rules. */
bool file_is_agents(const char *path);

/* Calls `opened` for each other file that an agent in the process may read;
 * `called` is another path of it (process_called()), or NULL. A call that
 * returns other than 0 ends that, and is returned; else 0, or a negative errno
 * as above. */
struct opener_file;
typedef int process_opened(const char *path, const char *called,
			   const struct opener_file *file, void *arg);
int process_each_file(pid_t pid, process_opened *opened, void *arg);

/* Decides between byte and jump, or byte and int3, for a process that has the
 * probes, by the mappings of this moment. */
void placement_settle(struct marker_list *list, pid_t pid);

/*
 * Calls `call` for each module with USDT probes that cannot be read: the file
 * was removed or replaced, and this command or the process may not open it by
 * the mapping. `path` is the file's name, without the kernel's " (deleted)";
 * `now` is the path by which this command reaches the file that has the name
 * now, or "". Leaves out the agent, libc and the dynamic linker. Returns how
 * many there are, or a negative errno.
 */
int process_each_unread(pid_t pid,
			void (*call)(const char *path, const char *now,
				     void *arg),
			void *arg);

/*
 * Gives the address of a symbol in a process: in the executable, or in a mapped
 * file if `file` is a part of the file's name. Returns 0 or a negative errno.
 */
int process_symbol(pid_t pid, const char *file, const char *name,
		   uint64_t *address);

#endif
