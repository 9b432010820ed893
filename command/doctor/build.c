/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether the agent in a process is of the same build as this command.
 *
 * Invariant: two builds work together as long as LAYOUT_VERSION is the same, so
 * a difference makes a finding "limited", and never "no". In the order of
 * certainty: the version, a file that was replaced, the build id.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command/common/inode.h"
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

void found_build(struct doctor *d, struct finding *f)
{
	char there[PROCESS_FILE_BYTES], ours[PATH_MAX];
	struct process_mapping library = { .path = "" };
	const char *path = library.path, *why = NULL;
	struct symboliser_module first, second;
	struct opener_file one;
	struct stat other;
	enum process_way way;
	bool named;
	size_t n;

	d->page.agent_version[sizeof(d->page.agent_version) - 1] = '\0';
	process_each_mapping(d->pid, take_library, &library);
	way = process_file(there, d->pid, &library);
	/* the kernel marks a mapping whose file has no name any more */
	n = strlen(path);
	if (strcmp(d->page.agent_version, PACKAGE_VERSION)) {
		why = "this command is version " PACKAGE_VERSION;
	} else if (n > strlen(DELETED) &&
		   !strcmp(path + n - strlen(DELETED), DELETED)) {
		why = "its " LIBRARY " was replaced since it began";
	} else if ((way == PROCESS_WAY_NAME || way == PROCESS_WAY_MAPPING) &&
		   !installed_find(ours, sizeof(ours), INSTALLED_LIB,
				   LIBRARY) &&
		   !stat(ours, &other) && !opener_open(&one, there, 0)) {
		/* by the build ids; by the sizes where one has none */
		named = !symboliser_read_open(&first, &one) && first.id_bytes &&
			!symboliser_read(&second, ours) && second.id_bytes;
		opener_close(&one);
		if (inode_same(&one.st, &other))
			return;
		if (named ? memcmp(first.id, second.id, sizeof(first.id)) :
			    one.st.st_size != other.st_size)
			why = "its " LIBRARY " is of another build than this "
			      "command";
	}
	if (!why)
		return;
	found(f, AGENT_BUILT_APART, .text = f->found, .path = why);
}
