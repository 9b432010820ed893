/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the recording that is meant where the user names none: the newest one
 * in the current directory.
 *
 * A recording is a directory, whatever its name, that has a trace which
 * Taffrail wrote directly below it, or into which a recorder writes now. The
 * newest one was changed last: a recorder adds the traces of processes to it,
 * and the lists at the end.
 *
 * Invariant: in a directory that other users write to, such as /tmp, nothing of
 * theirs is taken.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/reading/look.h"
#include "traces/array.h"

/* A directory that may be a recording. */
struct candidate {
	struct timespec changed;
	char *name;
};

/* Of qsort(): the newest comes first; of one time, the one whose name is
 * last. */
static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;

	if (left->changed.tv_sec != right->changed.tv_sec)
		return left->changed.tv_sec < right->changed.tv_sec ? 1 : -1;
	if (left->changed.tv_nsec != right->changed.tv_nsec)
		return left->changed.tv_nsec < right->changed.tv_nsec ? 1 : -1;
	return -strcmp(left->name, right->name);
}

/* Returns whether a directory is a recording. */
static bool is_recording(const char *name)
{
	int fd = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool found = fd >= 0 && follow_recorded_at(fd);
	char session[NAME_MAX + sizeof("/index/session")];
	struct dirent *entry;
	DIR *names;

	if (fd < 0)
		return false;
	names = fdopendir(fd);
	while (names && !found && (entry = readdir(names))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(session, sizeof(session), "%s/index/session",
			 entry->d_name);
		found = !faccessat(fd, session, F_OK, 0);
	}
	if (names)
		closedir(names);
	else
		close(fd);
	return found;
}

/* Directories that this user, or the owner of the current directory, owns; no
 * links. A candidate that there is no memory for is left out. */
char *look_newest(void)
{
	struct candidate *list = NULL;
	DIR *here = opendir(".");
	struct dirent *entry;
	char *found = NULL;
	struct stat own, st;
	size_t n = 0;

	if (!here)
		return NULL;
	while (!fstat(dirfd(here), &own) && (entry = readdir(here))) {
		if (*entry->d_name == '.' ||
		    fstatat(dirfd(here), entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) ||
		    !S_ISDIR(st.st_mode) ||
		    (st.st_uid != geteuid() && st.st_uid != own.st_uid) ||
		    !array_grow(&list, n, sizeof(*list)))
			continue;
		list[n] = (struct candidate){ st.st_mtim,
					      strdup(entry->d_name) };
		n += list[n].name != NULL;
	}
	closedir(here);
	if (n)
		qsort(list, n, sizeof(*list), compare_candidates);
	for (size_t i = 0; i < n; i++)
		if (!found && is_recording(list[i].name))
			found = list[i].name;
		else
			free(list[i].name);
	free(list);
	if (found)
		command_warn("%s: the newest recording here", found);
	return found;
}
