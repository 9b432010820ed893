/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions in the processes of other users, and sessions that every later
 * process takes part in.
 */
#ifndef COMMAND_AGENTS_ELSEWHERE_H
#define COMMAND_AGENTS_ELSEWHERE_H

#include <stddef.h>

#include "command/runtime/rundir.h"

/* Tells root which users have processes with a session of that name in their
 * default places: of the living ones their numbers, and how to read events
 * of ended ones. Prints nothing for other users. */
void others_tell(const char *name);

/* Returns how many there are, and writes their names as a list: "a, b". */
size_t later_sessions(struct rundir *dir, char *names, size_t room);

/* Names the living processes that began after `start --all` of that session,
 * and outside of this runtime directory, so they do not take part. Returns how
 * many there are. */
size_t later_tell_elsewhere(struct rundir *dir, const struct rundir_list *list,
			    const char *name);

#endif
