/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words of commands that a message gives to be typed.
 */
#ifndef COMMAND_COMMON_SHELL_H
#define COMMAND_COMMON_SHELL_H

#include <stdbool.h>

/* Returns whether a shell takes the word as it is, and a command does not take
 * it for an option. */
bool shell_is_plain(const char *word);

#endif
