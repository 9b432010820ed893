/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks and catches what libbabeltrace2 does not.
 */
#ifndef TRACES_FOREIGN_GUARD_PRIVATE_H
#define TRACES_FOREIGN_GUARD_PRIVATE_H

#include <stdbool.h>

/* Returns whether a directory's metadata is a text, or whole packets. */
bool guard_metadata(const char *directory);

/* Stand around calls that read a trace: if the library aborts between them, the
 * command says so and exits with 1. */
void guard_enter(void);
void guard_leave(void);

#endif
