/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The part of `taffrail list` that lists source lines.
 */
#ifndef COMMAND_LIST_LINES_PRIVATE_H
#define COMMAND_LIST_LINES_PRIVATE_H

#include <sys/types.h>

#include "command/common/json.h"

/* Lists the lines of a source file by the files of a process (`pid`, or 0) and
 * n other files: as values of an open array of `json`, or in lines where that
 * is NULL. Returns an exit status, after printing why it failed. */
int list_lines(const char *source, pid_t pid, char **paths, int n,
	       struct json *json);

#endif
