/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library for LD_PRELOAD: when the command has mapped a stream that still
 * grows, the file gets the form of a complete one, as a recorder gives it at
 * its end: it is cut behind its last packet, which gets its own size.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a packet's head. */
#define SIZES_OFFSET	48		/* content, then packet; in bits */

static void seal(const char *path, uint64_t bytes)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	uint64_t at = 0, sizes[2];

	while (pread(fd, sizes, sizeof(sizes), (off_t)(at + SIZES_OFFSET)) ==
		       sizeof(sizes) &&
	       sizes[1] && at + sizes[1] / 8 < bytes)
		at += sizes[1] / 8;
	if (ftruncate(fd, (off_t)(at + sizes[0] / 8)) ||
	    pwrite(fd, sizes, sizeof(*sizes), (off_t)(at + SIZES_OFFSET + 8)) !=
		    sizeof(*sizes))
		abort();
	close(fd);
}

typedef void *map_file(void *, size_t, int, int, int, off_t);

void *mmap(void *address, size_t bytes, int protection, int flags, int fd,
	   off_t offset)
{
	map_file *next = (map_file *)dlsym(RTLD_NEXT, "mmap");
	void *p = next(address, bytes, protection, flags, fd, offset);
	char name[32], path[4096];
	ssize_t n;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	n = fd < 0 || bytes < 16u << 20 ? -1 :
	    readlink(name, path, sizeof(path) - 1);
	if (n > 0) {
		path[n] = '\0';
		seal(path, bytes);
	}
	return p;
}

/* The same where files have 64 bits. */
void *mmap64(void *address, size_t bytes, int protection, int flags, int fd,
	     off64_t offset) __attribute__((alias("mmap")));
