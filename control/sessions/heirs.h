/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs that a process executes while it has a session; see heirs.c. All
 * functions run in the agent's threads.
 */
#ifndef CONTROL_SESSIONS_HEIRS_H
#define CONTROL_SESSIONS_HEIRS_H

/* Hands on the file of heirs that the lines of MESSAGE_START name, if any. */
void heirs_begin(const char *lines);

/* Hands on no file of this session any more. */
void heirs_end(const char *session);

/* Returns 1 when the file of heirs called `file` is this process's, or an
 * ancestor's; then this process hands it on. */
int heirs_claim(const char *file);

#endif
