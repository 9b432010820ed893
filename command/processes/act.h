/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints who has started or changed a session, and when.
 */
#ifndef COMMAND_PROCESSES_ACT_H
#define COMMAND_PROCESSES_ACT_H

#include "buffers/layout.h"

/* Prints "started by ada, process 4711, 2026-11-23 09:12:03". */
void act_print(const char *what, const struct session_act *act);

#endif
