/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that a test makes, in a directory that is removed at the test's end.
 * Names are paths from there; directories above them are made, too.
 */
#ifndef TESTSUITE_COMMAND_MADE_H
#define TESTSUITE_COMMAND_MADE_H

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/common/remove-tree.h"

static char made_root[1024];

static inline void made_open(void)
{
	const char *above = getenv("TMPDIR");

	snprintf(made_root, sizeof(made_root), "%s/taffrail-unit-XXXXXX",
		 above && *above ? above : "/tmp");
	if (!mkdtemp(made_root))
		abort();
}

static inline void made_close(void)
{
	remove_tree(made_root);
}

/* Returns the whole path, until the fourth call from here. */
static inline const char *made_path(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, PATH_MAX, "%s/%.2048s", made_root, name);
	return path;
}

/* Makes the directories above a name; returns its path. */
static inline const char *made_above(const char *name)
{
	char *path = (char *)made_path(name);

	for (char *p = path + strlen(made_root) + 1; (p = strchr(p, '/'));
	     p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	return path;
}

static inline const char *made_bytes(const char *name, const void *bytes,
				     size_t n)
{
	const char *path = made_above(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		abort();
	close(fd);
	return path;
}

static inline const char *made_file(const char *name, const char *text)
{
	return made_bytes(name, text, strlen(text));
}

static inline void made_link(const char *name, const char *to)
{
	if (symlink(to, made_above(name)))
		abort();
}

#endif
