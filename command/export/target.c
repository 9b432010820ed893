/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The target of an export.
 *
 * Invariant: a file with the name that the user gave is as it was until it is
 * replaced as a whole. Pipes and devices are written directly. Another user may
 * own the directory around the target, and exchange the files that this command
 * has made there: nothing is written, changed or removed by the path of a
 * directory that was made, only by its descriptor.
 */
#include "command/export/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/common/command.h"
#include "command/common/limits.h"

static int cannot_make(const char *path, int error)
{
	return command_failed("cannot write %s: %s", path,
			      limits_raise(error));
}

static mode_t mode_of(mode_t most)
{
	mode_t mask = umask(0);

	umask(mask);
	return most & ~mask;
}

/* Sets the name that the target gets, and "NAME.XXXXXX". */
static int set_names(struct target *target, const char *path, bool there)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	target->path = there ? realpath(path, NULL) : strndup(path, n);
	if (!target->path ||
	    asprintf(&target->made, "%s.XXXXXX", target->path) < 0) {
		target->made = NULL;
		return cannot_make(path, errno);
	}
	return COMMAND_DONE;
}

static int forget_made(struct target *target, const char *path)
{
	int error = errno;

	free(target->made);
	target->made = NULL;
	return cannot_make(path, error);
}

/* Returns whether a directory has only "." and "..". */
static bool is_empty(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	if (!dir)
		return false;
	while (n < 3 && readdir(dir))
		n++;
	closedir(dir);
	return n < 3;
}

/* Makes the directory beside the target's place. Returns COMMAND_DONE or a
 * status, after printing why. */
static int make_directory(struct target *target, const char *path,
			  const struct stat *st)
{
	int ret;

	if (st && !S_ISDIR(st->st_mode))
		return command_failed("%s is no directory: csv writes a file "
				      "for each type of event into one", path);
	if (st && !is_empty(path))
		return command_failed("the directory %s is not empty", path);
	ret = set_names(target, path, st);
	if (ret)
		return ret;
	if (!mkdtemp(target->made))
		return forget_made(target, path);
	target->folder = open(target->made, O_RDONLY | O_DIRECTORY |
			      O_NOFOLLOW | O_CLOEXEC);
	if (target->folder < 0)
		return forget_made(target, path);
	fchmod(target->folder, mode_of(0777));
	return COMMAND_DONE;
}

/* Follows the links in the directory of target->made: SQLite refuses a path
 * with any link, so no link can take the file's place. */
static int follow_links(struct target *target, const char *path)
{
	char *slash = strrchr(target->made, '/');
	char *directory, *made = NULL;

	if (slash)
		*slash = '\0';
	directory = realpath(!slash ? "." : slash == target->made ? "/" :
			     target->made, NULL);
	if (!directory ||
	    asprintf(&made, "%s/%s", strcmp(directory, "/") ? directory : "",
		     slash ? slash + 1 : target->made) < 0)
		made = NULL;
	free(directory);
	if (!made)
		return forget_made(target, path);
	free(target->made);
	target->made = made;
	return COMMAND_DONE;
}

/* Makes a file beside the target's place; a pipe or a device is opened itself.
 * SQLite opens the file by its name, so the descriptor is closed then. */
static int make_file(struct target *target, const char *path,
		     const struct stat *st, bool by_name)
{
	int ret;

	if (st && S_ISDIR(st->st_mode))
		return command_failed("%s is a directory: give the name of a "
				      "file", path);
	if (path[strlen(path) - 1] == '/')
		return command_failed("%s is the name of a directory: give "
				      "that of a file", path);
	if (st && !S_ISREG(st->st_mode) && by_name)
		return command_failed("%s is no file", path);
	if (st && !S_ISREG(st->st_mode)) {
		target->fd = open(path, O_WRONLY | O_CLOEXEC);
		return target->fd < 0 ? cannot_make(path, errno) :
					COMMAND_DONE;
	}
	if (st && access(path, W_OK))
		return cannot_make(path, errno);
	ret = set_names(target, path, st);
	if (!ret && by_name)
		ret = follow_links(target, path);
	if (ret)
		return ret;
	target->fd = mkostemp(target->made, O_CLOEXEC);
	if (target->fd < 0)
		return forget_made(target, path);
	fchmod(target->fd, st ? st->st_mode & 0777 : mode_of(0666));
	if (by_name) {
		close(target->fd);
		target->fd = -1;
	}
	return COMMAND_DONE;
}

int target_open(struct target *target, const struct export_format *format,
		const char *path)
{
	struct stat st;
	bool there;

	memset(target, 0, sizeof(*target));
	target->fd = path ? -1 : STDOUT_FILENO;
	target->folder = -1;
	if (!path)
		return COMMAND_DONE;
	if (!*path)
		return command_misused("-o: the name is empty");
	if (!strcmp(path, "-"))
		return command_misused("-o -: give the name of a file; "
				       "/dev/stdout is standard output");
	there = !stat(path, &st);
	if (!there && errno != ENOENT)
		return cannot_make(path, errno);
	if (format->target == EXPORT_TABLES)
		return make_directory(target, path, there ? &st : NULL);
	return make_file(target, path, there ? &st : NULL,
			 format->target == EXPORT_FILE);
}

int target_keep(struct target *target)
{
	int ret = COMMAND_DONE;

	if (target->fd >= 0 && target->fd != STDOUT_FILENO &&
	    close(target->fd))
		ret = cannot_make(target->path, errno);
	target->fd = -1;
	if (!ret && target->made && rename(target->made, target->path))
		ret = cannot_make(target->path, errno);
	if (!ret && target->made && target->folder >= 0)
		close(target->folder);
	if (!ret) {
		free(target->made);
		target->made = NULL;
	}
	target_drop(target);
	return ret;
}

/* Removes the directory that was made, with all files in it. */
static void remove_directory(struct target *target)
{
	DIR *dir = fdopendir(target->folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(target->folder, entry->d_name, 0);
	rmdir(target->made);
	if (dir)
		closedir(dir);
	else
		close(target->folder);
}

void target_drop(struct target *target)
{
	if (target->fd >= 0 && target->fd != STDOUT_FILENO)
		close(target->fd);
	if (target->made && target->folder >= 0)
		remove_directory(target);
	else if (target->made)
		unlink(target->made);
	free(target->made);
	free(target->path);
	memset(target, 0, sizeof(*target));
	target->fd = -1;
	target->folder = -1;
}
