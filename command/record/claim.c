/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The name of a recording: record-PID, which is also that of its session in
 * each process.
 *
 * What must stay true here: no other recording has the name, or a recorder
 * would collect another one's events. A pid does not warrant that: it is used
 * again, and in each PID namespace.
 */
#include "command/record/private.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "command/rundir/rundir.h"

#define NAMES_MAX	1000

/* Returns 1 when the process has a session of the recording's name. */
static int has_session(struct rundir_process *process, void *priv)
{
	const struct record *record = priv;
	uint32_t images[RUNDIR_IMAGES_MAX];
	struct session_page page;
	int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);
	int found = 0;

	while (n-- > 0 && !found)
		found = !rundir_find_session(process, images[n], record->name,
					     &page);
	return found;
}

int record_claim(struct record *record)
{
	int busy = 0;

	for (int n = 1; n < NAMES_MAX; n++) {
		snprintf(record->name, sizeof(record->name),
			 n > 1 ? "record-%d.%d" : "record-%d", getpid(), n);
		if (record->dir.fd < 0)
			return 0;
		busy = rundir_each(&record->dir, has_session, record) > 0;
		if (!busy)
			record->off = rundir_create_off(&record->dir,
							record->name);
		if (!busy && record->off != -EBUSY)
			return record->off < 0 ? record->off : 0;
	}
	return -EBUSY;
}
