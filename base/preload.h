/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The agent's libraries in LD_PRELOAD of an environment; see preload.c. All of
 * it is SIGSAFE.
 */
#ifndef BASE_PRELOAD_H
#define BASE_PRELOAD_H

#include <stddef.h>

/* Does LD_PRELOAD of this environment name one of the agent's libraries? */
int preload_named(char *const *environment);

/* Returns 1 when each of the agent's libraries that LD_PRELOAD names by a path
 * can be read here. Makes system calls (access). */
int preload_seen(char *const *environment);

/*
 * A copy of the environment in which LD_PRELOAD names none of them, nor is
 * there when it would be empty. `room` has preload_room() bytes; the copy lives
 * as long as that and as the strings of the environment. preload_room() is 0
 * where they take more than a stack may have.
 */
size_t preload_room(char *const *environment);
char **preload_without(char *const *environment, void *room);

#endif
