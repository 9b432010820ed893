/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers of which places could not be switched on, as a session's page names
 * them (buffers/layout.h): they have no events there.
 */
#ifndef COMMAND_PROCESSES_REFUSED_H
#define COMMAND_PROCESSES_REFUSED_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "buffers/layout.h"

/* Returns why a place is not on. */
const char *refused_why(int error);

/*
 * Finds the next marker that the page names, from *position on, which is 0 at
 * first. Returns the errno of its places, or 0 when there is no further one.
 */
#define REFUSED_ID_BYTES	160
int refused_next(const struct session_page *page, size_t *position,
		 char id[REFUSED_ID_BYTES]);

/*
 * Prints which markers of a process's session, of those that the rule names
 * (NULL: all), have no events for that, with the remedy. Returns true when
 * there is one.
 */
bool refused_tell(pid_t pid, const struct session_page *page,
		  const char *rule);

#endif
