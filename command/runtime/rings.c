/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of an image's rings, and their heads.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "buffers/reader/reader.h"
#include "command/runtime/private.h"

bool rundir_names_ring(const char *file, uint32_t index)
{
	char prefix[32];
	int n = snprintf(prefix, sizeof(prefix), "ring.%u.", index);

	return !strncmp(file, prefix, n);
}

bool rundir_read_ring(const struct rundir_process *process, uint32_t image,
		      const char *file, struct ring *ring)
{
	char name[NAME_MAX + 32];
	bool read;
	int fd;

	snprintf(name, sizeof(name), "%u/%s", image, file);
	fd = rundir_open_file(process, name, O_RDONLY);
	if (fd < 0)
		return false;
	read = pread(fd, ring, sizeof(*ring), 0) == (ssize_t)sizeof(*ring) &&
	       ring->magic == RING_MAGIC;
	close(fd);
	return read;
}

DIR *rundir_open_rings(const struct rundir_process *process, uint32_t image)
{
	char name[16];

	snprintf(name, sizeof(name), "%u", image);
	return rundir_opendir(process->fd, name);
}

/* Counts the events that a ring ever got, or lost. Where the packets make no
 * sense, the head of the ring counts, with 32 bits. */
static uint64_t count_ring(const struct rundir_process *process, uint32_t image,
			   uint32_t index, const char *file)
{
	int fd = rundir_open_image(process, image);
	struct ring_count count = { 0 };
	struct ring_reader reader;
	struct ring ring = { 0 };
	char prefix[32];
	int ret = fd;

	snprintf(prefix, sizeof(prefix), "ring.%u.", index);
	if (fd >= 0) {
		ret = ring_open(&reader, fd, index, file + strlen(prefix),
				false);
		close(fd);
	}
	if (!ret) {
		ret = ring_count(&reader, &count);
		ring_close(&reader);
	}
	if (!ret)
		return count.committed + count.lost;
	if (!rundir_read_ring(process, image, file, &ring))
		return 0;
	return RING_EVENTS(ring.head) + ring.lost;
}

uint64_t rundir_count_events(const struct rundir_process *process,
			     uint32_t image, uint32_t index)
{
	DIR *stream = rundir_open_rings(process, image);
	struct dirent *entry;
	uint64_t events = 0;

	while (stream && (entry = readdir(stream)))
		if (rundir_names_ring(entry->d_name, index))
			events += count_ring(process, image, index,
					     entry->d_name);
	if (stream)
		closedir(stream);
	return events;
}
