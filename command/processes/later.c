/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads sessions/ (control/protocol.h) for sessions of `start --all`.
 */
#include "command/processes/later.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct later {
	struct rundir *dir;
	char *names;
	size_t room;
	size_t count;
};

static int look(const char *name, void *priv)
{
	struct later *later = priv;
	size_t used = strlen(later->names);
	char *text;

	if (rundir_read_rules(later->dir, name, &text))
		return 0;
	if (!strncmp(text, "all=1\n", 6) || strstr(text, "\nall=1\n")) {
		snprintf(later->names + used, later->room - used, "%s%s",
			 later->count ? ", " : "", name);
		later->count++;
	}
	free(text);
	return 0;
}

size_t later_sessions(struct rundir *dir, char *names, size_t room)
{
	struct later later = { dir, names, room, 0 };

	names[0] = '\0';
	rundir_each_rules(dir, look, &later);
	return later.count;
}
