/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rings of a session that are looked at while it goes on.
 */
#ifndef COMMAND_LOOK_RINGS_PRIVATE_H
#define COMMAND_LOOK_RINGS_PRIVATE_H

#include "command/look/look.h"

/* Opens the rings of a session, into the reader. Sets look->session if only a
 * process was given. With look->keep, they stay open for look_rings_news().
 * Returns a status after printing why. */
int look_open_rings(struct look *look);
void look_rings_close(struct look *look);

/* Does look_recorded() for rings. */
bool look_rings_news(struct look *look, int64_t *until);

#endif
