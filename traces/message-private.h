/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The text for people that a marker carries (TAFFRAIL_MESSAGE, or the format of
 * a TAFFRAIL_MARK).
 */
#ifndef TRACES_MESSAGE_PRIVATE_H
#define TRACES_MESSAGE_PRIVATE_H

#include <stdio.h>

#include "buffers/reader/reader.h"

/* Writes it into the environment of metadata, where any reader lets it stand;
 * nothing if there is none. */
void message_put(FILE *out, const struct event_view *event);

#endif
