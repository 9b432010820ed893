/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removes a directory that this command has made.
 */
#ifndef COMMAND_COMMON_REMOVE_TREE_H
#define COMMAND_COMMON_REMOVE_TREE_H

/* Removes a directory and all below it, and follows no symbolic link. What
 * cannot be removed stays. */
void remove_tree(const char *path);

#endif
