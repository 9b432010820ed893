/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether the agent in a process is of the same build as this command. Two
 * builds work together as long as LAYOUT_VERSION is the same.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command/common/installed.h"
#include "command/doctor/private.h"
#include "command/procfs/mapped-file.h"
#include "command/procfs/process.h"
#include "command/sandbox/opener.h"
#include "command/symboliser/symboliser.h"

#define LIBRARY		"libtaffrail.so"
#define DELETED		" (deleted)"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

/* Takes the first mapping of the agent's library; 1 ends the search. */
static int take_library(const struct process_mapping *m, void *library)
{
	const char *name = strrchr(m->path, '/') + 1;

	if (strncmp(name, LIBRARY, strlen(LIBRARY)))
		return 0;
	memcpy(library, m, sizeof(*m));
	return 1;
}

/* Returns true when two files are of different builds, by their build ids; by
 * their sizes where one has none. False if one cannot be read. */
static bool differs_in_build(const char *a, const char *b)
{
	struct symboliser_module first, second;
	struct opener_file one;
	struct stat other;
	bool named;

	if (stat(b, &other) || opener_open(&one, a, 0))
		return false;
	named = !symboliser_read_open(&first, &one) && first.id_bytes &&
		!symboliser_read(&second, b) && second.id_bytes;
	opener_close(&one);
	if (one.st.st_ino == other.st_ino && one.st.st_dev == other.st_dev)
		return false;
	return named ? memcmp(first.id, second.id, sizeof(first.id)) != 0 :
		       one.st.st_size != other.st_size;
}

void found_build(struct doctor *d, struct finding *f)
{
	char there[PROCESS_FILE_BYTES], ours[PATH_MAX];
	struct process_mapping library = { .path = "" };
	enum process_way way;
	const char *path = library.path, *why = NULL;
	size_t n;

	d->page.agent_version[sizeof(d->page.agent_version) - 1] = '\0';
	process_each_mapping(d->pid, take_library, &library);
	way = process_file(there, d->pid, &library);
	n = strlen(path);
	if (strcmp(d->page.agent_version, PACKAGE_VERSION))
		why = "this command is version " PACKAGE_VERSION;
	else if (n > strlen(DELETED) &&
		 !strcmp(path + n - strlen(DELETED), DELETED))
		why = "its " LIBRARY " was replaced since it began";
	else if ((way == PROCESS_WAY_NAME || way == PROCESS_WAY_MAPPING) &&
		 !installed_find(ours, sizeof(ours), INSTALLED_LIB, LIBRARY) &&
		 differs_in_build(there, ours))
		why = "its " LIBRARY " is of another build than this command";
	if (!why)
		return;
	f->state = DOCTOR_LIMITED;
	found_more(f, "; %s", why);
	found_remedy(f, "start the program again, or use the taffrail that "
		     "belongs to its " LIBRARY ", if something fails");
}
