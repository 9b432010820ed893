/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of a request: the symboliser's child.
 *
 * libdw looks itself for the split files of a program (DWARF 5, 3.1.2), and
 * opens them. Here it gets the descriptors that came with the request; the
 * paths of others are noted, and the command asks again with those that it
 * could open.
 */
#include "command/symboliser/serve-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command/sandbox/child.h"

#define MISSING_BYTES	65536

/* A split file that came. */
struct split {
	struct split *next;
	int fd;				/* -1: libdw has it */
	size_t blank;			/* bytes to write a unit to; or 0 */
	char name[];
};

bool symboliser_split_noting;
uint64_t symboliser_split_id;

static struct symboliser_image package;
static struct split *splits;
static char missing[MISSING_BYTES];
static size_t missing_bytes;

/*
 * Maps a file as it is on disk: the kernel writes uprobes into private mappings
 * also of processes that only read. Some file systems have no shared ones.
 * Closes the descriptor. Returns 0 or a negative errno.
 */
static int image_map(struct symboliser_image *image, int fd, uint64_t bytes,
		     bool write)
{
	void *start = mmap(NULL, bytes, PROT_READ | (write ? PROT_WRITE : 0),
			   write ? MAP_PRIVATE : MAP_SHARED, fd, 0);
	int error;

	if (start == MAP_FAILED && !write)
		start = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	error = bytes ? errno : ENOEXEC;
	close(fd);
	if (start == MAP_FAILED)
		return -error;
	*image = (struct symboliser_image){ start, bytes };
	return 0;
}

/* Keeps the descriptor of a split file. */
static void split_keep(const char *name, int fd, size_t blank)
{
	struct split *split = malloc(sizeof(*split) + strlen(name) + 1);

	if (!split) {
		close(fd);
		return;
	}
	strcpy(split->name, name);
	split->fd = fd;
	split->blank = blank;
	split->next = splits;
	splits = split;
}

void symboliser_files_map(struct symboliser_images *images,
			  const struct symboliser_request *request, int fd,
			  bool write)
{
	struct symboliser_more more;
	ssize_t n;

	memset(images, 0, sizeof(*images));
	missing_bytes = 0;
	images->error = image_map(&images->of[FILE_OWN], fd,
				  request->file_bytes, write);
	for (uint32_t i = 0; i < request->more; i++) {
		n = child_receive(CHILD_SOCKET, &more, sizeof(more), &fd, -1);
		if (fd < 0)
			continue;
		if (n < 0 || !symboliser_more_valid(&more, (size_t)n))
			close(fd);
		else if (more.kind >= FILE_SPLIT)
			split_keep(more.name, fd, more.kind == FILE_BLANK ?
						  more.bytes : 0);
		else if (images->of[more.kind].bytes)
			close(fd);
		else
			image_map(&images->of[more.kind], fd, more.bytes,
				  write);
	}
	package = images->of[FILE_PACKAGE];
}

/* Writes the unit that is wanted from the package. */
static bool split_write(const struct split *split)
{
	void *to = package.bytes ? mmap(NULL, split->blank,
					PROT_READ | PROT_WRITE, MAP_SHARED,
					split->fd, 0) : MAP_FAILED;
	bool done = to != MAP_FAILED &&
		    symboliser_package_unit(to, split->blank, &package,
					    symboliser_split_id);

	if (to != MAP_FAILED)
		munmap(to, split->blank);
	return done;
}

void symboliser_files_close(struct symboliser_images *images)
{
	struct split *split;

	for (int i = 0; i < FILE_SPLIT; i++)
		if (images->of[i].bytes)
			munmap(images->of[i].bytes, images->of[i].size);
	while ((split = splits)) {
		splits = split->next;
		if (split->fd >= 0)
			close(split->fd);
		free(split);
	}
}

int symboliser_split_open(const char *path)
{
	size_t n = strlen(path) + 1;
	int fd;

	for (struct split *s = splits; s; s = s->next)
		if (s->fd >= 0 && !strcmp(s->name, path) &&
		    (!s->blank || split_write(s))) {
			fd = s->fd;
			s->fd = -1;
			return fd;
		}
	if (symboliser_split_noting && n <= SYMBOLISER_SPLIT_BYTES &&
	    n <= sizeof(missing) - missing_bytes) {
		memcpy(missing + missing_bytes, path, n);
		missing_bytes += n;
	}
	return -ENOENT;
}

void symboliser_missing_put(symboliser_put *put)
{
	for (size_t at = 0; at < missing_bytes; at += strlen(missing + at) + 1)
		if (!strpbrk(missing + at, "\t\n")) {
			put("split\t", 6);
			put(missing + at, strlen(missing + at));
			put("\n", 1);
		}
}
