/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What becomes of an image when its last events are in the trace: its memory,
 * its files, and what children may still lose. See consume.h.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "command/elf/addresses.h"
#include "command/record/consume.h"
#include "command/rundir/rundir.h"

uint32_t consume_late(struct consumer *consumer, int32_t *error)
{
	struct consumer_late *late = &consumer->late;
	const struct session_page *page = late->map.address;
	uint64_t lost = 0;
	uint32_t orphans = 0;

	*error = 0;
	if (!page)
		return 0;
	/* another program may have cut the file: the page is all zeros then */
	if (load_relaxed(&page->lost_unplaced) > late->lost_unplaced)
		lost = load_relaxed(&page->lost_unplaced) - late->lost_unplaced;
	if (load_relaxed(&page->orphans) > late->orphans) {
		orphans = load_relaxed(&page->orphans) - late->orphans;
		*error = load_relaxed(&page->orphan_error);
	}
	file_map_close(&late->map);
	late->map = (struct file_map){ .fd = -1 };
	late->lost_unplaced += lost;
	late->orphans += orphans;
	if (lost && consumer->trace)
		trace_lose_late(consumer->trace, lost);
	else if (!consumer->missed)
		consumer->set->lost += lost;
	return orphans;
}

bool consume_settled(const struct consumer *consumer)
{
	/* names of addresses take modules, and the time to read files */
	return consumer->finished && consumer->session && !consumer->missed &&
	       !consumer->format.symbols &&
	       (!consumer->trace || trace_settle(consumer->trace));
}

void consume_settle(struct consumer *consumer)
{
	session_view_close(consumer->session);
	free(consumer->session);
	free(consumer->page);
	free(consumer->shapes);
	consumer->session = NULL;
	consumer->page = NULL;
	consumer->shapes = NULL;
}

void consume_names(struct consumer *consumer)
{
	struct trace *trace = consumer->trace;
	struct metadata_clock clock;

	if (!trace || !consumer->session)
		return;
	trace_set_clock(consumer->set, consumer->page, &clock);
	addresses_name(&trace->symbols, consumer->session, consumer->page,
		       &clock, consumer->owner);
	session_view_drop_modules(consumer->session);
}

static bool has_session(int fd)
{
	DIR *stream = rundir_opendir(fd, ".");
	struct dirent *entry;
	bool found = !stream;

	while (stream && !found && (entry = readdir(stream)))
		found = !strncmp(entry->d_name, "session.", 8);
	if (stream)
		closedir(stream);
	return found;
}

void consume_release(struct consumer *consumer,
		     const struct rundir_process *process)
{
	consumer->released = true;
	rundir_destroy_session(process, consumer->image, consumer->index);
}

void consume_remove(struct consumer *consumer,
		    const struct rundir_process *process, int top)
{
	char name[16];
	int fd;

	/* while an image is left: behind the last one, another process may have
	 * its sockets in this directory */
	unlinkat(process->fd, "control.sock", 0);
	unlinkat(process->fd, CALL_FILE, 0);
	unlinkat(process->fd, "gdb.sock", 0);
	rundir_destroy_session(process, consumer->image, consumer->index);
	snprintf(name, sizeof(name), "%u", consumer->image);
	fd = rundir_open_image(process, consumer->image);
	if (fd < 0)
		return;
	if (!has_session(fd)) {
		unlinkat(fd, "process", 0);
		unlinkat(process->fd, name, AT_REMOVEDIR);
	}
	close(fd);
	if (top < 0 || rundir_images(process, &(uint32_t){ 0 }, 1))
		return;
	unlinkat(top, process->name, AT_REMOVEDIR);
}
