/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The subjects of the machine, in the order in which they are printed.
 */
#include <stddef.h>

#include "command/doctor/private.h"

const struct check doctor_machine[] = {
	{ "kernel", look_kernel, false },
	{ "rseq", look_rseq, true },
	{ "membarrier", look_membarrier, true },
	{ "madvise", look_madvise, true },
	{ "close_range", look_close_range, true },
	{ "pidfd", look_pidfd, false },
	{ "memfd", look_memfd, true },
	{ "memory", look_memory, false },
	{ "proc", look_proc, false },
	{ "clock", look_clock, true },
	{ "library", look_library, true },
	{ "directory", look_directory, true },
	{ "room", look_room, true },
	{ "descriptors", look_descriptors, false },
	{ "processes", look_processes, true },
	{ "files", look_files, true },
	{ "memory-size", look_memory_size, true },
	{ "seccomp", look_seccomp, true },
	{ "namespaces", look_namespaces, true },
	{ "ptrace", look_ptrace, false },
	{ "core", look_core, true },
	{ "gdb", look_gdb, false },
	{ "gdbserver", look_gdbserver, false },
	{ "trial", look_trial, true },
	{ NULL, NULL, false }
};
