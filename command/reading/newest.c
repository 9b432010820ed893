/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the recording that is meant where the user names none: the newest one
 * in the current directory.
 *
 * A recording is a directory, whatever its name (trace_set_there()). The newest
 * one was changed last: a recorder adds the traces of processes to it, and the
 * lists at the end.
 *
 * Invariant: in a directory that other users write to, such as /tmp, nothing of
 * theirs is taken.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/reading/look.h"
#include "traces/array.h"
#include "traces/ledger.h"

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

/* Returns 1 if a directory below `top` is a recording, of a session if one is
 * named; 0 if it is none; or a negative errno: it cannot be read. */
static int is_recording(int top, const char *name, const char *session)
{
	int fd = openat(top, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int ret = fd < 0 || faccessat(fd, ".", X_OK, AT_EACCESS) ? -errno :
		  trace_set_there(fd, session);

	if (fd >= 0)
		close(fd);
	return ret;
}

/* Takes the directories below `top` that this user, or the owner of `top`,
 * owns; no links. One that there is no memory for is left out. Returns the
 * list, the newest first, and sets *n; the caller frees it and the names. */
static struct candidate *list_candidates(int top, size_t *n)
{
	DIR *names = fdopendir(openat(top, ".", O_RDONLY | O_DIRECTORY |
				      O_CLOEXEC));
	struct candidate *list = NULL;
	struct dirent *entry;
	struct stat own, st;

	*n = 0;
	while (names && !fstat(top, &own) && (entry = readdir(names))) {
		if (*entry->d_name == '.' ||
		    fstatat(top, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISDIR(st.st_mode) ||
		    (st.st_uid != geteuid() && st.st_uid != own.st_uid) ||
		    !array_grow(&list, *n, sizeof(*list)))
			continue;
		list[*n] = (struct candidate){ st.st_mtim,
					       strdup(entry->d_name) };
		*n += list[*n].name != NULL;
	}
	if (names)
		closedir(names);
	if (*n)
		qsort(list, *n, sizeof(*list), compare_candidates);
	return list;
}

char *look_newest_in(const char *directory, const char *session,
		     const char **why)
{
	static char text[NAME_MAX + 128];
	int top = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct candidate *list;
	char *found = NULL;
	size_t n;
	int ret;

	*why = "there is none here";
	if (top < 0 || faccessat(top, ".", X_OK, AT_EACCESS)) {
		snprintf(text, sizeof(text), "this directory cannot be read: "
			 "%s", strerror(errno));
		*why = text;
		if (top >= 0)
			close(top);
		return NULL;
	}
	list = list_candidates(top, &n);
	for (size_t i = 0; i < n; i++) {
		ret = found ? 0 : is_recording(top, list[i].name, session);
		if (ret > 0) {
			found = list[i].name;
			continue;
		}
		if (ret < 0 && *why != text) {
			snprintf(text, sizeof(text), "there is none here, but "
				 "%s cannot be read: %s", list[i].name,
				 strerror(-ret));
			*why = text;
		}
		free(list[i].name);
	}
	free(list);
	close(top);
	return found;
}

char *look_newest(const char **why)
{
	char *found = look_newest_in(".", NULL, why);

	if (found)
		command_warn("%s: the newest recording here", found);
	return found;
}
