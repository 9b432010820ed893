/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks bytes that libbabeltrace2 does not check, and catches aborts of the
 * library.
 */
#ifndef TRACES_FOREIGN_GUARD_PRIVATE_H
#define TRACES_FOREIGN_GUARD_PRIVATE_H

#include <stdbool.h>

/* Returns whether a directory's metadata is a text, or whole packets. */
bool guard_metadata(const char *directory);

/*
 * Makes a call that reads a trace. Returns false if the library aborted in it:
 * then the objects that the call worked on must not be used any more, nor
 * freed.
 */
bool guard_run(void (*call)(void *), void *priv);

#endif
