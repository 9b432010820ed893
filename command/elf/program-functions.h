/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of programs, of their libraries, and of processes, module by
 * module, as rules fn:GLOB name them.
 */
#ifndef COMMAND_ELF_PROGRAM_FUNCTIONS_H
#define COMMAND_ELF_PROGRAM_FUNCTIONS_H

#include <sys/types.h>

#include "command/elf/markers.h"
#include "command/elf/process-markers.h"
#include "command/procfs/module-names.h"

/* Writes a name by which rules know a function: 0, the symbol; 1, of a static
 * function, "FILE.c:NAME". Returns false if there is none. */
#define FUNCTION_NAME_BYTES	1280
bool function_name(char name[FUNCTION_NAME_BYTES], const struct marker *m,
		   int i);

/*
 * Gets a module's functions in the order of addresses, with an id "fn/NAME" for
 * each symbol. `path` is the module's file, `names` those that rules know
 * (module-names.h), and the list is freed after the call. A result other than 0
 * ends the reading.
 */
typedef int functions_take(const char *path, const char *names,
			   struct marker_list *functions, void *arg);

/*
 * Calls `take` for the file of a program, found as execvp(3) does, and for its
 * libraries where they are in LD_LIBRARY_PATH, beside the program or beside the
 * C library of this command. `how` is 0 for names alone, or SYMBOLISER_PLAN.
 * Files that cannot be read, or that `wanted` does not want, are left out; it
 * may be NULL. Returns the last result of `take`, or 0. Not for several threads
 * at a time.
 */
int functions_of_program(const char *program, uint32_t how,
			 process_wanted *wanted, functions_take *take,
			 void *arg);

/* Calls `opened` for the files of a program, as process_each_file() does. */
int files_of_program(const char *program, process_opened *opened, void *arg);

/* Writes the names of a file: the path's, that of the file to which it leads,
 * and a library's own. */
void file_names(char names[FILE_NAMES_BYTES], const char *path);

/* Calls `take` for these files alone. */
int functions_of_files(char *const *paths, size_t n, process_wanted *wanted,
		       functions_take *take, void *arg);

/* Does the same for the modules of a process, but the agent's own; plans are
 * for a program that handles faults, if it does now. Returns also a negative
 * errno: the process cannot be read. */
int functions_of_process(pid_t pid, uint32_t how, process_wanted *wanted,
			 functions_take *take, void *arg);

#endif
