/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The target of an export. See target.h.
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
#include "command/common/former.h"
#include "command/common/limits.h"

/* Says why a target of this name cannot be written. Returns COMMAND_FAILED. */
static int cannot_make(const char *path, int error)
{
	return command_failed("cannot write %s: %s", path, limits_raise(error));
}

/* Returns the mode that a new file has by the umask, as open(2) would give it:
 * mkdtemp() and mkostemp() give less. */
static mode_t mode_of(mode_t most)
{
	mode_t mask = umask(0);

	umask(mask);
	return most & ~mask;
}

/* Sets the name that the target gets, and "NAME.XXXXXX" beside it: rename()
 * does not go from one file system to another. Where the name is a link, the
 * file that it leads to is replaced. Returns COMMAND_DONE, or COMMAND_FAILED
 * after printing why. */
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

/* Does as cannot_make() for errno, when nothing with the temporary name is this
 * command's: target_drop() then removes nothing. */
static int forget_made(struct target *target, const char *path)
{
	int error = errno;

	free(target->made);
	target->made = NULL;
	return cannot_make(path, error);
}

/* Makes a file beside the target's place; a pipe or a device is opened itself.
 * `st` is of a file that is there, or NULL. Returns COMMAND_DONE, or
 * COMMAND_FAILED after printing why. */
static int make_file(struct target *target, const char *path,
		     const struct stat *st, bool by_name)
{
	char *slash, *directory, *made = NULL;
	int ret;

	if (st && S_ISDIR(st->st_mode))
		return command_failed("%s is a directory: give the name of a "
				      "file", path);
	if (path[strlen(path) - 1] == '/')
		return command_failed("%s is the name of a directory: give "
				      "that of a file", path);
	if (st && !S_ISREG(st->st_mode)) {
		if (by_name)
			return command_failed("%s is no file", path);
		target->fd = open(path, O_WRONLY | O_CLOEXEC);
		return target->fd < 0 ? cannot_make(path, errno) : COMMAND_DONE;
	}
	if (st && access(path, W_OK))
		return cannot_make(path, errno);
	ret = set_names(target, path, st);
	if (ret)
		return ret;
	/* SQLite refuses a path with any link, so no link can take the file's
	 * place: those in the path of the directory are followed here */
	if (by_name) {
		slash = strrchr(target->made, '/');
		if (slash)
			*slash = '\0';
		directory = realpath(!slash ? "." : slash == target->made ?
				     "/" : target->made, NULL);
		if (!directory ||
		    asprintf(&made, "%s/%s",
			     strcmp(directory, "/") ? directory : "",
			     slash ? slash + 1 : target->made) < 0)
			made = NULL;
		free(directory);
		if (!made)
			return forget_made(target, path);
		free(target->made);
		target->made = made;
	}
	target->fd = mkostemp(target->made, O_CLOEXEC);
	if (target->fd < 0)
		return forget_made(target, path);
	fchmod(target->fd, st ? st->st_mode & 0777 : mode_of(0666));
	/* SQLite opens the file itself */
	if (by_name) {
		close(target->fd);
		target->fd = -1;
	}
	return COMMAND_DONE;
}

/* Checks that a directory is empty, or with --force an export that may be
 * moved: it has tables alone. Returns COMMAND_DONE, or COMMAND_FAILED after
 * printing why not. */
static int check_folder(const char *path, bool force)
{
	static const char ending[] = ".csv";
	const struct dirent *entry;
	DIR *dir = opendir(path);
	bool movable = true;
	int n = 0, ret = COMMAND_DONE;

	if (!dir)
		return command_failed("cannot read %s: %s", path,
				      limits_raise(errno));
	while (!ret && (entry = readdir(dir))) {
		size_t bytes = strlen(entry->d_name);

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		n++;
		if (bytes >= sizeof(ending) &&
		    !strcmp(entry->d_name + bytes - strlen(ending), ending))
			continue;
		movable = false;
		if (force)
			ret = command_failed("%s is no export, for it has %s, "
					     "and --force moves nothing else: "
					     "give another directory", path,
					     entry->d_name);
	}
	closedir(dir);
	if (n && !force)
		ret = command_failed("the directory %s is not empty: give "
				     "another one%s", path, movable ?
				     ", or --force, which keeps this one as "
				     "DIR.old" : "");
	return ret;
}

/* A symbolic link that leads to no file is no file: the link is replaced. */
int target_open(struct target *target, const struct export_format *format,
		const char *path, bool force)
{
	const struct stat *is;
	struct stat st;
	int ret;

	*target = (struct target){ .fd = path ? -1 : STDOUT_FILENO,
				   .folder = -1, .force = force };
	if (!path)
		return COMMAND_DONE;
	if (!*path)
		return command_misused("-o: the name is empty");
	if (!strcmp(path, "-"))
		return command_misused("-o -: give the name of a file; "
				       "/dev/stdout is standard output");
	is = stat(path, &st) ? NULL : &st;
	if (!is && errno != ENOENT)
		return cannot_make(path, errno);
	if (format->target != EXPORT_TABLES)
		return make_file(target, path, is,
				 format->target == EXPORT_FILE);
	/* a directory beside the place of an empty one */
	if (is && !S_ISDIR(is->st_mode))
		return command_failed("%s is no directory: csv writes a file "
				      "for each type of event into one", path);
	ret = is ? check_folder(path, force) : COMMAND_DONE;
	if (!ret)
		ret = set_names(target, path, is);
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

/* A file is closed before it gets the name: a disk may report a failure only
 * then. */
int target_keep(struct target *target)
{
	int ret = COMMAND_DONE;

	if (target->fd >= 0 && target->fd != STDOUT_FILENO &&
	    close(target->fd))
		ret = cannot_make(target->path, errno);
	target->fd = -1;
	if (!ret && target->made && target->force)
		ret = former_keep(target->path);
	if (!ret && target->made && rename(target->made, target->path))
		ret = cannot_make(target->path, errno);
	/* target_drop() removes nothing that has the name */
	if (!ret) {
		if (target->folder >= 0)
			close(target->folder);
		free(target->made);
		target->made = NULL;
	}
	target_drop(target);
	return ret;
}

void target_drop(struct target *target)
{
	struct dirent *entry;
	DIR *dir;

	if (target->fd >= 0 && target->fd != STDOUT_FILENO)
		close(target->fd);
	if (target->made && target->folder >= 0) {
		dir = fdopendir(target->folder);
		while (dir && (entry = readdir(dir)))
			unlinkat(target->folder, entry->d_name, 0);
		rmdir(target->made);
		if (dir)
			closedir(dir);
		else
			close(target->folder);
	} else if (target->made) {
		unlink(target->made);
	}
	free(target->made);
	free(target->path);
	*target = (struct target){ .fd = -1, .folder = -1 };
}
