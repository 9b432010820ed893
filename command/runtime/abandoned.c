/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds recordings whose recorder was killed: their sessions go on, and the
 * buffers keep the events that are not on disk.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/runtime/rundir.h"

#define NAMES_MAX	64

/* The sessions that were found, by name, each once. */
struct found {
	char *names[NAMES_MAX];
	size_t n;
};

/* Adds the abandoned sessions of a process. Without memory, some are left
 * out. */
static void found_look(struct found *found, struct rundir *dir,
		       const struct rundir_process *process)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);
	struct session_page session;
	struct process_page page;
	size_t at;

	for (int i = 0; i < n; i++) {
		if (rundir_read_process(process, images[i], &page))
			continue;
		for (uint32_t k = 0; k < page.sessions; k++) {
			if (rundir_read_session(process, images[i], k,
						&session) ||
			    session.state == SESSION_DESTROYED ||
			    !rundir_recorder_gone(dir, session.name))
				continue;
			for (at = 0; at < found->n; at++)
				if (!strcmp(found->names[at], session.name))
					break;
			if (at < found->n || at == NAMES_MAX)
				continue;
			found->names[at] = strdup(session.name);
			found->n += found->names[at] != NULL;
		}
	}
}

size_t rundir_abandoned(char first[SESSION_NAME_BYTES], char *text, size_t room)
{
	struct rundir dir = { .fd = -1 };
	struct rundir_list list = { 0 };
	struct found found = { 0 };
	size_t bytes, n;

	if (!rundir_open(&dir, false) && !rundir_scan_user(&dir, &list))
		for (size_t i = 0; i < list.count; i++)
			found_look(&found, &dir, &list.processes[i]);
	rundir_list_free(&list);
	rundir_close(&dir);
	n = found.n;
	if (n)
		snprintf(first, SESSION_NAME_BYTES, "%s", found.names[0]);
	snprintf(text, room, n > 1 ? "sessions" : "session");
	for (size_t i = 0; i < n; i++) {
		bytes = strlen(text);
		snprintf(text + bytes, room - bytes, "%s '%s'", i ? "," : "",
			 found.names[i]);
		free(found.names[i]);
	}
	return n;
}
