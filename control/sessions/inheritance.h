/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs that a process executes while it has a session; see inheritance.c.
 * All functions run in the agent's threads.
 */
#ifndef CONTROL_SESSIONS_INHERITANCE_H
#define CONTROL_SESSIONS_INHERITANCE_H

#include <stdbool.h>

/* Hands on the inheritance file that the lines of MESSAGE_START name, if any.
 */
void inheritance_begin(const char *lines);

/* Hands on no file of this session any more. */
void inheritance_end(const char *session);

/* Returns true when the inheritance file called `file` is this process's, or an
 * ancestor's; then this process hands it on. */
bool inheritance_claim(const char *file);

#endif
