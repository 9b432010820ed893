/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the trace*.c files only.
 */
#ifndef COMMAND_TRACE_PRIVATE_H
#define COMMAND_TRACE_PRIVATE_H

#include "command/trace.h"

#define LEDGER_ROOM_BYTES	16384

/* Remembers the first failure of the set; returns `error`. */
int trace_failed(struct trace *trace, int error);

#endif
