/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories that are followed.
 */
#ifndef COMMAND_LOOK_FOLLOW_PRIVATE_H
#define COMMAND_LOOK_FOLLOW_PRIVATE_H

#include "command/look/look.h"

/* Opens the directories, and tells their recorders. Returns false without
 * memory. */
bool look_follow(struct look *look, char **paths, int n);
void look_follow_end(struct look *look);

/* Says if a trace below the directory, from the reader's trace number `from`
 * on, was not completed: its ledger, which a recorder makes first and writes
 * last, is empty. Returns whether there is one that no recorder will complete.
 */
bool look_uncompleted(const struct look *look, const char *path, size_t from);

#endif
