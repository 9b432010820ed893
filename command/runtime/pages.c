/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pages that processes publish in their directories, also those of agents
 * with another LAYOUT_VERSION; the files of rings, and their heads.
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
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffers/reader/reader.h"
#include "command/runtime/private.h"
#include "control/protocol.h"

#define SUB_BYTES_MIN		256u

/* Sorts ascending. */
static int compare_numbers(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

int rundir_images(const struct rundir_process *process, uint32_t *images,
		  int room)
{
	DIR *stream = rundir_opendir(process->fd, ".");
	const char *digits;
	struct dirent *entry;
	unsigned long image;
	char *end;
	int n = 0, least;

	if (!stream)
		return -errno;
	while ((entry = readdir(stream))) {
		/* a number as agents write it */
		digits = entry->d_name;
		image = strtoul(digits, &end, 10);
		if (!isdigit((unsigned char)*digits) || *end ||
		    image >= UINT32_MAX || (*digits == '0' && digits[1]))
			continue;
		if (n < room) {
			images[n++] = (uint32_t)image;
			continue;
		}
		/* a greater number takes the place of the least one */
		least = 0;
		for (int i = 1; i < n; i++)
			if (images[i] < images[least])
				least = i;
		if (n && images[least] < image)
			images[least] = (uint32_t)image;
	}
	closedir(stream);
	if (n)
		qsort(images, n, sizeof(*images), compare_numbers);
	return n;
}

bool rundir_executed(const struct rundir_process *process, uint32_t *image)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);

	if (n <= 0 || images[n - 1] <= process->image)
		return false;
	*image = images[n - 1];
	return true;
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

int rundir_open_file(const struct rundir_process *process, uint32_t image,
		     int flags, const char *format, ...)
{
	char directory[16], name[NAME_MAX + 1];
	va_list ap;
	int fd, below;

	snprintf(directory, sizeof(directory), "%u", image);
	below = openat(process->fd, directory, O_PATH | O_DIRECTORY |
		       O_NOFOLLOW | O_CLOEXEC);
	if (below < 0)
		return -errno;
	va_start(ap, format);
	vsnprintf(name, sizeof(name), format, ap);
	va_end(ap);
	fd = rundir_open_own(below, name, flags, process->uid);
	close(below);
	return fd;
}

/* Reads the first bytes of a file, and closes it; `fd` may be the negative
 * errno of the open. Returns 0 or a negative errno. */
static int read_page(int fd, void *page, size_t bytes)
{
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
	return layout_known(magic, version) ? 0 : -EPROTO;
}

int rundir_read_process(const struct rundir_process *process, uint32_t image,
			struct process_page *page)
{
	int ret = read_page(rundir_open_file(process, image, O_RDONLY,
					     "process"), page, sizeof(*page));

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
	int ret = read_page(rundir_open_file(process, image, O_RDONLY,
					     "session.%u", index),
			    page, sizeof(*page));

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
		      uint32_t index, uint64_t events, uint64_t lost)
{
	int ret = 0;
	int fd = rundir_open_file(process, image, O_RDWR, "session.%u", index);

	if (fd < 0)
		return fd;
	if (pwrite(fd, &events, sizeof(events),
		   offsetof(struct session_page, saved)) != sizeof(events) ||
	    pwrite(fd, &lost, sizeof(lost),
		   offsetof(struct session_page, saved_lost)) != sizeof(lost))
		ret = -EIO;
	close(fd);
	return ret;
}

bool rundir_any_ring(const struct rundir_process *process, uint32_t image,
		     const struct session_page *page, bool ever)
{
	DIR *stream = rundir_open_rings(process, image);
	struct dirent *entry;
	struct ring ring;
	bool found = false;

	while (stream && !found && (entry = readdir(stream))) {
		if (!rundir_names_ring(entry->d_name, page->index) ||
		    !rundir_read_ring(process, image, entry->d_name, &ring))
			continue;
		if (!ever && page->flags & SESSION_CONSUMED)
			found = RING_POSITION(ring.head) != (uint32_t)ring.tail;
		else
			found = ring.lost ||
				(ever ? RING_EVENTS(ring.head) : ring.head);
	}
	if (stream)
		closedir(stream);
	return found;
}

/* Returns true when a session's page of another version has the name, with a
 * NUL behind it, where no longer name can begin before. */
static bool image_names(const struct rundir_process *process, uint32_t image,
			const char *name)
{
	DIR *dir = rundir_open_rings(process, image);
	const size_t length = strlen(name) + 1;
	const char *at;
	struct dirent *entry;
	char page[4096];
	bool found = false;
	ssize_t n;
	int fd;

	while (dir && !found && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "session.", 8))
			continue;
		fd = rundir_open_file(process, image, O_RDONLY, "%s",
				      entry->d_name);
		if (fd < 0)
			continue;
		n = pread(fd, page, sizeof(page), 0);
		close(fd);
		at = page;
		while (n > 0 && !found &&
		       (at = memmem(at, (size_t)(page + n - at), name,
				    length))) {
			found = at == page || !at[-1] ||
				!strchr(PROTOCOL_NAME_LETTERS, at[-1]);
			at++;
		}
	}
	if (dir)
		closedir(dir);
	return found;
}

uint32_t rundir_foreign(const struct rundir_process *process, const char *name)
{
	uint32_t images[RUNDIR_IMAGES_MAX], head[2];
	int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);

	while (n-- > 0)
		if (!read_page(rundir_open_file(process, images[n], O_RDONLY,
						"process"),
			       head, sizeof(head)) &&
		    head[0] == PROCESS_MAGIC && head[1] != LAYOUT_VERSION &&
		    (!name || image_names(process, images[n], name)))
			return head[1];
	return 0;
}

DIR *rundir_open_rings(const struct rundir_process *process, uint32_t image)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", image);
	return rundir_opendir(process->fd, name);
}

bool rundir_names_ring(const char *file, uint32_t index)
{
	char prefix[32];
	int n = snprintf(prefix, sizeof(prefix), "ring.%u.", index);

	return !strncmp(file, prefix, n);
}

bool rundir_read_ring(const struct rundir_process *process, uint32_t image,
		      const char *file, struct ring *ring)
{
	return !read_page(rundir_open_file(process, image, O_RDONLY, "%s",
					   file), ring, sizeof(*ring)) &&
	       ring->magic == RING_MAGIC;
}

uint64_t rundir_count_events(const struct rundir_process *process,
			     uint32_t image, uint32_t index)
{
	DIR *stream = rundir_open_rings(process, image);
	struct ring_reader reader;
	struct ring_count count;
	struct dirent *entry;
	struct ring ring;
	uint64_t events = 0;
	char prefix[32];
	size_t n = (size_t)snprintf(prefix, sizeof(prefix), "ring.%u.", index);
	int fd, ret;

	while (stream && (entry = readdir(stream))) {
		if (!rundir_names_ring(entry->d_name, index))
			continue;
		count = (struct ring_count){ 0 };
		ret = fd = rundir_open_image(process, image);
		if (fd >= 0) {
			ret = ring_open(&reader, fd, index, entry->d_name + n,
					false);
			close(fd);
		}
		if (!ret) {
			ret = ring_count(&reader, &count);
			ring_close(&reader);
		}
		/* where the packets make no sense, the head of the ring counts,
		 * with 32 bits */
		if (!ret)
			events += count.committed + count.lost;
		else if (rundir_read_ring(process, image, entry->d_name, &ring))
			events += RING_EVENTS(ring.head) + ring.lost;
	}
	if (stream)
		closedir(stream);
	return events;
}
