/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recordings of a program that has changed to another user, and executes
 * another program. See handover.c.
 */
#ifndef AGENT_IMAGE_HANDOVER_H
#define AGENT_IMAGE_HANDOVER_H

#include <stddef.h>

#include "buffers/layout.h"

#define HANDOVER_PATH_BYTES	64

/*
 * Writes the sessions that TAFFRAIL_JOIN names into the default directory of
 * the calling thread's user, and gives that directory: the caller notes it in
 * the process page for the recorder. Returns LACKING_HANDED, or the reason why
 * the program that is executed then can make no files. Makes system calls, and
 * uses a descriptor. SIGSAFE.
 */
enum lacking_why handover_make(char path[HANDOVER_PATH_BYTES]);

/*
 * Opens sessions/.off.NAME in that directory to add a line, and makes it. For a
 * program that was executed past libc, and so was handed nothing. Returns a
 * descriptor or a negative errno: -ESRCH when no recorder of that name lives
 * here.
 */
int handover_off(const char *name);

/*
 * The environment for that program: TAFFRAIL_DIR and TAFFRAIL_JOIN lead to that
 * directory. handover_environment() makes it in `room`, which has
 * handover_room() bytes. The copy lives as long as `room` and the strings of
 * the environment. SIGSAFE.
 */
size_t handover_room(char *const *environment);
char **handover_environment(char *const *environment, void *room);

#endif
