/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules of TAFFRAIL_ENABLE that processes do not obey.
 */
#ifndef COMMAND_AGENTS_FAULTS_H
#define COMMAND_AGENTS_FAULTS_H

#include <stdbool.h>

#include "command/runtime/rundir.h"

/* The session that TAFFRAIL_ENABLE starts without TAFFRAIL_SESSION. */
#define FAULTS_SESSION	PROTOCOL_ENABLE_SESSION

/* Prints a line for each fault of a process, unless the process before had the
 * same. Returns true when there is one. */
bool faults_tell(pid_t pid, const struct process_page *page);

/* Does so for the last process that had faults, which may have ended, unless
 * faults_tell() has told the same. With `forget` removes the note of
 * it. */
bool faults_tell_last(struct rundir *dir, bool forget);

/* Removes the note of the last process that had faults. */
void faults_forget(struct rundir *dir);

#endif
