/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers of a process from outside. See process-markers.h.
 *
 * What must stay true here: /proc is read as text of unknown form, and a file
 * is used only if it is still the mapped one.
 */
#include "command/elf/process-markers.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/elf/elfnotes.h"
#include "command/elf/placement.h"
#include "command/process/mapped-file.h"
#include "command/process/process.h"

/* A module that was read already. */
struct seen {
	uint64_t inode;
	uint64_t shift;
};

struct scan {
	pid_t pid;
	struct marker_list *list;
	struct seen *seen;
	size_t count;
	bool probes;			/* keep USDT probes, not markers */
};

/* Returns 1 when the module is new, 0 when not, or -ENOMEM. */
static int see(struct scan *scan, uint64_t inode, uint64_t shift)
{
	struct seen *more;

	for (size_t i = 0; i < scan->count; i++)
		if (scan->seen[i].inode == inode &&
		    scan->seen[i].shift == shift)
			return 0;
	more = reallocarray(scan->seen, scan->count + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	scan->seen = more;
	more[scan->count++] = (struct seen){ inode, shift };
	return 1;
}

/* Drops the unwanted kind, and shifts the addresses of the rest. */
static void keep(struct marker_list *list, size_t from, uint64_t shift,
		 bool probes)
{
	size_t kept = from;

	for (size_t i = from; i < list->count; i++) {
		struct marker *m = &list->markers[i];

		if ((m->kind == MARKER_USDT) != probes) {
			free(m->id);
			free(m->text);
			free(m->file);
			continue;
		}
		m->address += shift;
		list->markers[kept++] = *m;
	}
	list->count = kept;
}

static int scan_mapping(const struct process_mapping *m, void *arg)
{
	char path[PROCESS_FILE_BYTES], error[ELFNOTES_ERROR_BYTES];
	struct scan *scan = arg;
	size_t before = scan->list->count;
	uint64_t address;
	int ret;

	if (!m->executable || !process_file(path, scan->pid, m) ||
	    elfnotes_address(&address, path, m->offset))
		return 0;
	ret = see(scan, m->inode, m->start - address);
	if (ret <= 0)
		return ret;
	ret = elfnotes_read(scan->list, path, error);
	if (!ret && scan->probes)
		placement_plan(scan->list, before, path);
	keep(scan->list, before, m->start - address, scan->probes);
	return ret == -ENOMEM ? ret : 0;
}

static int read_all(struct marker_list *list, pid_t pid, bool probes)
{
	struct scan scan = { .pid = pid, .list = list, .probes = probes };
	int ret = process_each_mapping(pid, scan_mapping, &scan);

	free(scan.seen);
	return ret;
}

int process_markers_read(struct marker_list *list, pid_t pid)
{
	return read_all(list, pid, false);
}

int process_probes_read(struct marker_list *list, pid_t pid)
{
	return read_all(list, pid, true);
}

struct wanted {
	pid_t pid;
	const char *file;
	const char *name;
	uint64_t address;
	char executable[PATH_MAX];
};

static int look_symbol(const struct process_mapping *m, void *arg)
{
	struct wanted *wanted = arg;
	char path[PROCESS_FILE_BYTES];
	uint64_t start;

	if (!m->executable || (!strstr(strrchr(m->path, '/'), wanted->file) &&
			       strcmp(m->path, wanted->executable)) ||
	    !process_file(path, wanted->pid, m) ||
	    elfnotes_address(&start, path, m->offset) ||
	    elfnotes_symbol(&wanted->address, path, wanted->name))
		return 0;
	wanted->address += m->start - start;
	return 1;
}

int process_symbol(pid_t pid, const char *file, const char *name,
		   uint64_t *address)
{
	struct wanted wanted = { .pid = pid, .file = file, .name = name };
	char path[32];
	ssize_t n;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	n = readlink(path, wanted.executable, sizeof(wanted.executable) - 1);
	wanted.executable[n > 0 ? n : 0] = '\0';
	ret = process_each_mapping(pid, look_symbol, &wanted);
	*address = wanted.address;
	return ret == 1 ? 0 : ret ? ret : -ENOENT;
}
