/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations that the wrappers of libc's functions share.
 */
#ifndef AGENT_WRAP_PRIVATE_H
#define AGENT_WRAP_PRIVATE_H

#include <stdbool.h>

#include "tracepoints/program/executable.h"

/*
 * Returns the next function of a name behind the agent, or NULL, and keeps it
 * in `function`. Without a lock or memory: handlers of signals and children of
 * vfork(2) may call it, unless a constructor comes before those of the agent.
 */
void *next_function(void **function, const char *name);

/* The same, or NULL before such a constructor has run. SIGSAFE. */
void *next_found(void **function, const char *name);

/* Returns true where calls of the name reach the function; in a constructor. */
bool next_is_first(void *function, const char *name);

/* Prepares that, in a constructor: looks the function up where that cannot
 * wait. */
void next_setup(void **function, const char *name);

#define NEXT(pointer, name) \
	((__typeof__(pointer))next_function((void **)&(pointer), name))
#define NEXT_FOUND(pointer, name) \
	((__typeof__(pointer))next_found((void **)&(pointer), name))

/* The arguments of one call. */
struct exec {
	enum { EXECVE, EXECVPE, FEXECVE, EXECVEAT } how;
	int fd;
	const char *path;
	char *const *argv;
	char *const *environment;
	int flags;
};

/*
 * Fills in `image`: whether the program will have an agent, and whether
 * LD_PRELOAD must be withheld from it. Knows nothing (LACKING_NOT) where the
 * agent is not at work. Makes no system call in a process that has installed a
 * seccomp filter; otherwise those of image_look(). SIGSAFE.
 */
void exec_look(struct image *image, const struct exec *e);

/*
 * The environment for the program: without the agent's libraries where they are
 * withheld, else with the sessions that are handed on. exec_environment()
 * copies it into `room`, which has exec_room() bytes: 0 where the program gets
 * the one that it was given. SIGSAFE, without system calls.
 */
size_t exec_room(const struct image *image, char *const *environment);
char **exec_environment(const struct image *image, char *const *environment,
			void *room);

/* Returns the path that was found, else the path of the call, else "". SIGSAFE.
 */
const char *exec_path(const struct image *image);

#endif
