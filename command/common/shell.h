/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words of commands that a message gives to be typed.
 */
#ifndef COMMAND_COMMON_SHELL_H
#define COMMAND_COMMON_SHELL_H

#include <stdbool.h>
#include <stddef.h>

/* Writes a file's name as a user types it to a command: in quotes where a shell
 * needs some, and behind ./ where it would be taken for an option. Returns
 * false if it is longer than the room, or cannot be typed as a message shows
 * it. */
bool shell_word(char *text, size_t room, const char *name);

#endif
