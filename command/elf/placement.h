/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How the agent would place USDT probes that no rule has named yet.
 */
#ifndef COMMAND_ELF_PLACEMENT_H
#define COMMAND_ELF_PLACEMENT_H

#include <sys/types.h>

#include "command/elf/markers.h"

/* Decides between byte and jump, or byte and int3, for a process that has the
 * probes, by its mappings now. */
void placement_settle(struct marker_list *list, pid_t pid);

/* Returns the placement in words: "byte", "jump", "not". */
const char *placement_text(enum marker_placement placement);

#endif
