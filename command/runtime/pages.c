/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pages that processes publish in their directories, also those of agents
 * with another LAYOUT_VERSION.
 *
 * Invariants:
 *  - nothing read from a file is used before it was checked; the writer may be
 *    broken, hostile or of another version;
 *  - a page begins with magic and version in every version, and has the
 *    session's name as text.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/runtime/private.h"

#define SUB_BYTES_MIN		256u

static int compare_numbers(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* Parses the number of an image, as agents write it. */
static bool parse_image(const char *name, uint32_t *image)
{
	char *end;
	unsigned long value = strtoul(name, &end, 10);

	*image = (uint32_t)value;
	return isdigit((unsigned char)*name) && !*end && value < UINT32_MAX &&
	       (*name != '0' || !name[1]);
}

int rundir_images(const struct rundir_process *process, uint32_t *images,
		  int room)
{
	DIR *stream = rundir_opendir(process->fd, ".");
	struct dirent *entry;
	uint32_t image;
	int n = 0, least;

	if (!stream)
		return -errno;
	while ((entry = readdir(stream))) {
		if (!parse_image(entry->d_name, &image))
			continue;
		if (n < room) {
			images[n++] = image;
			continue;
		}
		/* a greater number takes the place of the least one */
		least = 0;
		for (int i = 1; i < n; i++)
			if (images[i] < images[least])
				least = i;
		if (n && images[least] < image)
			images[least] = image;
	}
	closedir(stream);
	if (n)
		qsort(images, n, sizeof(*images), compare_numbers);
	return n;
}

int rundir_open_image(const struct rundir_process *process, uint32_t image)
{
	char name[16];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "%u", image);
	fd = openat(process->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
		    O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_uid != process->uid) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int rundir_open_file(const struct rundir_process *process, const char *name,
		     int flags)
{
	char directory[NAME_MAX + 1];
	const char *slash = strchr(name, '/');
	struct stat st;
	int fd, below = process->fd;

	if (slash) {
		if ((size_t)(slash - name) >= sizeof(directory) ||
		    strchr(slash + 1, '/'))
			return -EINVAL;
		memcpy(directory, name, slash - name);
		directory[slash - name] = '\0';
		below = openat(process->fd, directory, O_PATH | O_DIRECTORY |
			       O_NOFOLLOW | O_CLOEXEC);
		if (below < 0)
			return -errno;
		name = slash + 1;
	}
	fd = openat(below, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
		    O_NOCTTY);
	if (fd < 0)
		fd = -errno;
	if (slash)
		close(below);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    st.st_uid != process->uid) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

static int read_page(const struct rundir_process *process, const char *name,
		     void *page, size_t bytes)
{
	int fd = rundir_open_file(process, name, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = pread(fd, page, bytes, 0);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return n;
	return (size_t)n == bytes ? 0 : -ENOENT;	/* not written yet */
}

/* A writer stores magic last, so zero means that the page is not complete. */
static int check_head(uint32_t magic, uint32_t want, uint32_t version)
{
	if (!magic)
		return -ENOENT;
	if (magic != want)
		return -EBADMSG;
	return version == LAYOUT_VERSION ? 0 : -EPROTO;
}

int rundir_read_process(const struct rundir_process *process, uint32_t image,
			struct process_page *page)
{
	char name[32];
	int ret;

	snprintf(name, sizeof(name), "%u/process", image);
	ret = read_page(process, name, page, sizeof(*page));
	if (!ret)
		ret = check_head(page->magic, PROCESS_MAGIC, page->version);
	if (ret)
		return ret;
	if (page->image != image || page->sessions > SESSION_FILES_MAX)
		return -EBADMSG;
	page->procname[sizeof(page->procname) - 1] = '\0';
	page->hostname[sizeof(page->hostname) - 1] = '\0';
	page->agent_version[sizeof(page->agent_version) - 1] = '\0';
	return 0;
}

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

int rundir_read_session(const struct rundir_process *process, uint32_t image,
			uint32_t index, struct session_page *page)
{
	char name[48];
	int ret;

	snprintf(name, sizeof(name), "%u/session.%u", image, index);
	ret = read_page(process, name, page, sizeof(*page));
	if (!ret)
		ret = check_head(page->magic, SESSION_MAGIC, page->version);
	if (ret)
		return ret;
	page->name[sizeof(page->name) - 1] = '\0';
	if (page->index != index || !rundir_valid_name(page->name) ||
	    !power_of_two(page->sub_bytes) || !power_of_two(page->ring_bytes) ||
	    page->sub_bytes < SUB_BYTES_MIN ||
	    page->ring_bytes < page->sub_bytes)
		return -EBADMSG;
	return 0;
}

int rundir_find_session(const struct rundir_process *process, uint32_t image,
			const char *name, struct session_page *page)
{
	struct process_page head;
	int ret = rundir_read_process(process, image, &head);

	if (ret)
		return ret;
	for (uint32_t i = head.sessions; i-- > 0;)
		if (!rundir_read_session(process, image, i, page) &&
		    page->state != SESSION_DESTROYED &&
		    !strcmp(page->name, name))
			return 0;
	return -ENOENT;
}

int rundir_note_saved(const struct rundir_process *process, uint32_t image,
		      uint32_t index, uint64_t events)
{
	char name[48];
	int fd, ret = 0;

	snprintf(name, sizeof(name), "%u/session.%u", image, index);
	fd = rundir_open_file(process, name, O_RDWR);
	if (fd < 0)
		return fd;
	if (pwrite(fd, &events, sizeof(events),
		   offsetof(struct session_page, saved)) != sizeof(events))
		ret = -EIO;
	close(fd);
	return ret;
}

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

/* Returns true when the bytes have the name, with a NUL behind it. */
static bool has_text(const char *bytes, size_t n, const char *name)
{
	size_t length = strlen(name) + 1;
	const char *at = bytes;

	while ((at = memmem(at, n - (size_t)(at - bytes), name, length))) {
		if (at == bytes || !at[-1] ||
		    !strchr(RUNDIR_NAME_LETTERS, at[-1]))
			return true;
		at++;
	}
	return false;
}

static bool image_names(const struct rundir_process *process, uint32_t image,
			const char *name)
{
	int fd = rundir_open_image(process, image);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	char path[320], page[4096];
	bool found = false;
	ssize_t n;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (!found && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, SESSION_PAGE, strlen(SESSION_PAGE)))
			continue;
		snprintf(path, sizeof(path), "%u/%s", image, entry->d_name);
		fd = rundir_open_file(process, path, O_RDONLY);
		if (fd < 0)
			continue;
		n = pread(fd, page, sizeof(page), 0);
		close(fd);
		found = n > 0 && has_text(page, (size_t)n, name);
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
