/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds every process of the user, wherever the agent keeps the files: the
 * environment of a daemon is not that of a login.
 *
 * Invariant: a directory that TAFFRAIL_DIR names stands alone. With
 * TAFFRAIL_DIR set, a command sees nothing else; without it, a command sees
 * that directory's processes by pid only.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "command/causes/cause.h"
#include "command/common/inode.h"
#include "command/runtime/rundir.h"

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* Adds the living processes, found by their pids, that keep their files where
 * they would without TAFFRAIL_DIR. XDG_RUNTIME_DIR there may differ from ours:
 * a daemon has none. Returns 0 or -ENOMEM. */
static int add_living(struct rundir_list *list)
{
	struct cause cause;
	struct rundir_process process;
	DIR *stream = opendir("/proc");
	char by_uid[64], by_xdg[64];
	struct dirent *entry;
	struct stat st;
	int ret = 0;
	size_t i;
	pid_t pid;

	while (stream && !ret && (entry = readdir(stream))) {
		pid = atoi(entry->d_name);
		for (i = 0; i < list->count; i++)
			if (list->processes[i].alive &&
			    list->processes[i].pid == pid)
				break;
		if (pid <= 0 || pid == getpid() || i < list->count ||
		    fstatat(dirfd(stream), entry->d_name, &st, 0) ||
		    st.st_uid != geteuid() ||
		    rundir_find(&process, pid, &cause))
			continue;
		snprintf(by_uid, sizeof(by_uid), "/taffrail-%u/%s",
			 (unsigned int)process.uid, process.name);
		snprintf(by_xdg, sizeof(by_xdg), "/taffrail/%s", process.name);
		if (ends_with(process.path, by_uid) ||
		    ends_with(process.path, by_xdg))
			ret = rundir_append(list, &process);
		else
			rundir_process_close(&process);
	}
	if (stream)
		closedir(stream);
	return ret;
}

int rundir_scan_user(struct rundir *dir, struct rundir_list *list)
{
	static const char *const places[] = {
		"/run/user/%u/taffrail", "/dev/shm/taffrail-%u",
		"/tmp/taffrail-%u",
	};
	const char *own = getenv("TAFFRAIL_DIR");
	struct rundir_list there;
	struct stat ours, theirs;
	struct rundir place;
	char path[64];
	int ret = 0;

	*list = (struct rundir_list){ 0 };
	if (dir->fd >= 0)
		ret = rundir_scan(dir, list);
	if (ret || (own && *own))
		return ret;
	/* first the living ones: of a place, only the dead ones are added */
	ret = add_living(list);
	for (size_t i = 0; i < ARRAY_SIZE(places) && !ret; i++) {
		snprintf(path, sizeof(path), places[i],
			 (unsigned int)geteuid());
		/* not the same directory again */
		if ((dir->fd >= 0 && !fstat(dir->fd, &ours) &&
		     !stat(path, &theirs) && inode_same(&ours, &theirs)) ||
		    rundir_open_at(&place, path))
			continue;
		there = (struct rundir_list){ 0 };
		rundir_scan(&place, &there);
		for (size_t k = 0; k < there.count && !ret; k++) {
			if (there.processes[k].alive)
				continue;
			ret = rundir_append(list, &there.processes[k]);
			if (!ret)
				there.processes[k].fd = -1;
		}
		rundir_list_free(&there);
		rundir_close(&place);
	}
	if (ret && !dir->cause.id)
		cause_set(&dir->cause, 0, OUT_OF_MEMORY);
	if (ret)
		rundir_list_free(list);
	return ret;
}
