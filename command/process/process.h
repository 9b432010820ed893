/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What /proc says of a process: its status and what it has mapped.
 */
#ifndef COMMAND_PROCESS_PROCESS_H
#define COMMAND_PROCESS_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A line of /proc/PID/maps. */
struct process_mapping {
	uint64_t start, end;
	uint64_t offset;
	unsigned int major, minor;
	uint64_t inode;
	bool executable;
	char path[PATH_MAX];
};

/* Calls `call` for each mapping of a file until a call returns other than 0.
 * Returns that, 0, or a negative errno: the process cannot be read. */
int process_each_mapping(pid_t pid,
			 int (*call)(const struct process_mapping *m,
				     void *arg), void *arg);

/* Returns a number of /proc/PID/status ("Tgid", "TracerPid"), or -1 when it is
 * not there. */
long process_status(pid_t pid, const char *word);

/* Returns true when the process maps a file whose name (without its folder) is
 * `name`. */
bool process_maps_file(pid_t pid, const char *name);
/* The same for a file whose name begins with `name`. */
bool process_maps_beginning(pid_t pid, const char *name);

/* Returns true when the process maps a file, executable, at the address. */
bool process_executes(pid_t pid, uint64_t address);

#endif
