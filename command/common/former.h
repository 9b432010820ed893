/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * --force: an output that is there already keeps its bytes under another name.
 */
#ifndef COMMAND_COMMON_FORMER_H
#define COMMAND_COMMON_FORMER_H

#include <stdbool.h>

/*
 * Renames a file or directory to NAME.old, or to NAME.old.2 and so on if that
 * is there; nothing is replaced. Says so on standard error. Does nothing if
 * nothing has the name. Returns COMMAND_DONE, or COMMAND_FAILED after printing
 * why.
 */
int former_keep(const char *path);

/* Moves it back, and says so, if a command fails and nothing has the name now:
 * the command has made no output. Does nothing if former_keep() moved
 * nothing. */
void former_return(void);

/* Does so without a word. Returns whether it was moved back. SIGSAFE. */
bool former_restore(void);

/* Does as former_keep() for the directory of a recording: an empty one stays,
 * because it is taken as it is; one into which a recorder writes now is
 * refused, and so is what is no recording, which nobody wants moved. */
int former_keep_tree(const char *path);

/* Checks the value of -o where it names a directory. Returns COMMAND_DONE, or
 * COMMAND_USAGE after printing why. */
int former_check_directory(const char *path);

#endif
