/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of agents whose LAYOUT_VERSION is another one.
 *
 * What must stay true: a page begins with its magic and its version in every
 * version, and has the session's name as text.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/rundir/rundir.h"

#define SESSION_PAGE	"session."

/* Returns the version of an image's page if it is another one, else 0. */
static uint32_t version_of(const struct rundir_process *process, uint32_t image)
{
	uint32_t head[2] = { 0 };
	char name[32];
	int fd;
	ssize_t n;

	snprintf(name, sizeof(name), "%u/process", image);
	fd = rundir_open_file(process, name, O_RDONLY);
	if (fd < 0)
		return 0;
	n = pread(fd, head, sizeof(head), 0);
	close(fd);
	return n == sizeof(head) && head[0] == PROCESS_MAGIC &&
	       head[1] != LAYOUT_VERSION ? head[1] : 0;
}

static bool is_name(char c)
{
	const char text[] = { c, '\0' };

	return c && (rundir_valid_name(text) || c == '.' || c == '-');
}

/* Returns true when the bytes have the name, with a NUL behind it. */
static bool has_text(const char *bytes, size_t n, const char *name)
{
	size_t length = strlen(name) + 1;
	const char *at = bytes;

	while ((at = memmem(at, n - (size_t)(at - bytes), name, length))) {
		if (at == bytes || !is_name(at[-1]))
			return true;
		at++;
	}
	return false;
}

static bool page_names(const struct rundir_process *process, const char *path,
		       const char *name)
{
	char page[4096];
	int fd = rundir_open_file(process, path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : pread(fd, page, sizeof(page), 0);

	if (fd >= 0)
		close(fd);
	return n > 0 && has_text(page, (size_t)n, name);
}

static bool image_names(const struct rundir_process *process, uint32_t image,
			const char *name)
{
	int fd = rundir_open_image(process, image);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool found = false;
	char path[320];

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (!found && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, SESSION_PAGE, strlen(SESSION_PAGE)))
			continue;
		snprintf(path, sizeof(path), "%u/%s", image, entry->d_name);
		found = page_names(process, path, name);
	}
	closedir(dir);
	return found;
}

uint32_t rundir_foreign(const struct rundir_process *process, const char *name)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);

	while (n-- > 0) {
		uint32_t version = version_of(process, images[n]);

		if (version && (!name || image_names(process, images[n], name)))
			return version;
	}
	return 0;
}
