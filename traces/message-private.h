/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The text for people that a marker carries (TAFFRAIL_MESSAGE).
 */
#ifndef TRACES_MESSAGE_PRIVATE_H
#define TRACES_MESSAGE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the message in the text of a marker's arguments, and copies as much as
 * there is room for. Returns whether there is one. */
bool message_find(const char *arguments, char *text, size_t room);

#endif
