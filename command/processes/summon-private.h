/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes the service thread of a process that has none
 * (control/service/demand.c).
 */
#ifndef COMMAND_PROCESSES_SUMMON_PRIVATE_H
#define COMMAND_PROCESSES_SUMMON_PRIVATE_H

#include <stddef.h>

#include "command/rundir/rundir.h"

/*
 * Makes the process start its service thread, if it offers that. Returns 1 when
 * the thread is there, 0 when nothing is needed or another command does it; or
 * a negative errno, and the fact in `error`.
 */
int summon(const struct rundir_process *process, char *error, size_t room);

/* Returns the errno for which the last service thread ended at once, as it
 * could make no socket; 0: it could, or is not there yet. */
int summon_failed(const struct rundir_process *process);

#endif
