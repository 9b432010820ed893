/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How USDT probes would be placed that no rule has named yet: as the agent
 * would do it, and by the same plans.
 */
#ifndef COMMAND_ELF_PLACEMENT_H
#define COMMAND_ELF_PLACEMENT_H

#include <sys/types.h>

#include "command/elf/markers.h"

/*
 * Says of the probes from the list's element `from` on how they may be placed;
 * all are of the file, with the addresses that it gives. What cannot be told
 * stays unsaid.
 */
void placement_plan(struct marker_list *list, size_t from, const char *path);

/* The same for a process in which they are, by what is mapped there now. */
void placement_settle(struct marker_list *list, pid_t pid);

/* In words: "byte", "jump", "not" */
const char *placement_text(enum marker_placement placement);

#endif
