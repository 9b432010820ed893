/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The limit of the files that dead processes keep in the runtime directory.
 */
#ifndef CONTROL_SESSIONS_BUDGET_H
#define CONTROL_SESSIONS_BUDGET_H

#include <stdbool.h>

/*
 * Removes the files of the oldest dead processes, until the rest takes at most
 * KEEP_BYTES. Call it in one of the agent's threads, behind
 * place_open() and before the process makes rings.
 */
void budget_keep(void);

/* Returns true when a recorder at work will take the events of that session.
 * Same callers. */
bool budget_collected(const char *session);

/* Returns true when the recorder of this session has ended in order: no other
 * will take the events. Events that a killed recorder has left are for a
 * snapshot.
 */
bool budget_ended(const char *session);

#endif
