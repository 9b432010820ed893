/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The agent's libraries in LD_PRELOAD of an environment; see preload.c. All of
 * it is SIGSAFE.
 */
#ifndef BASE_PRELOAD_H
#define BASE_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true when LD_PRELOAD of this environment names one of the agent's
 * libraries. */
bool preload_named(char *const *environment);

/* Returns true when each of the agent's libraries that LD_PRELOAD names by a
 * path can be read here. Makes system calls (access). */
bool preload_seen(char *const *environment);

/*
 * preload_without() copies the environment into `room`, without the agent's
 * libraries in LD_PRELOAD, and without an empty LD_PRELOAD. `room` has
 * preload_room() bytes. The copy lives as long as `room` and as the strings of
 * the environment. On a stack, it may have PRELOAD_STACK_BYTES at most: threads
 * with 16K of stack execute programs.
 */
#define PRELOAD_STACK_BYTES	8192u

size_t preload_room(char *const *environment);
char **preload_without(char *const *environment, void *room);

#endif
