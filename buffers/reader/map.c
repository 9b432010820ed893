/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Maps files that belong to another process.
 *
 * Invariant: the owner of a file may truncate it at any time; a load beyond the
 * end then raises SIGBUS. The handler maps zeros there, if the address lies in
 * one of our mappings, and the checks do the rest.
 */
#include "buffers/reader/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

#define GUARDED_LEAST	256u
#define COPY_BYTES_MAX	16384u	/* of a small file */

struct guarded {
	uintptr_t address;		/* 0: free */
	size_t bytes;
	bool cut;
};

/* A table with open addressing, at most half full. The handler runs in a load
 * from a mapping, so never while the table changes. */
static struct guarded *guarded;
static size_t guarded_room;		/* a power of two, or 0 */
static size_t nguarded;

volatile unsigned int map_guard_cuts;

static uintptr_t page_bytes = 4096;

int map_error(void)
{
	return errno == EAGAIN ? -ENOLCK : -errno;
}

static size_t place_of(uintptr_t address)
{
	return (address / 4096 * 0x9e3779b97f4a7c15ull >> 20) &
	       (guarded_room - 1);
}

static size_t next_place(size_t i)
{
	return (i + 1) & (guarded_room - 1);
}

static void guard_put(const struct guarded *entry)
{
	size_t i = place_of(entry->address);

	while (guarded[i].address)
		i = next_place(i);
	guarded[i] = *entry;
	nguarded++;
}

static struct guarded *guard_find(const void *address)
{
	if (!guarded_room)
		return NULL;
	for (size_t i = place_of((uintptr_t)address); guarded[i].address;
	     i = next_place(i))
		if (guarded[i].address == (uintptr_t)address)
			return &guarded[i];
	return NULL;
}

static int guards_grow(void)
{
	size_t room = guarded_room ? 2 * guarded_room : GUARDED_LEAST;
	struct guarded *more = calloc(room, sizeof(*more));
	struct guarded *old = guarded;
	size_t n = guarded_room;

	if (!more)
		return -ENOMEM;
	guarded = more;
	guarded_room = room;
	nguarded = 0;
	for (size_t i = 0; i < n; i++)
		if (old[i].address)
			guard_put(&old[i]);
	free(old);
	return 0;
}

int map_guard_add(const void *address, size_t bytes)
{
	struct guarded entry = { .address = (uintptr_t)address,
				 .bytes = bytes };

	if (2 * (nguarded + 1) > guarded_room && guards_grow())
		return -ENOMEM;
	guard_put(&entry);
	return 0;
}

void map_guard_remove(const void *address)
{
	struct guarded *entry = guard_find(address);
	size_t i;

	if (!entry)
		return;
	entry->address = 0;
	nguarded--;
	/* a search ends at a free place: close the gap */
	for (i = next_place((size_t)(entry - guarded)); guarded[i].address;
	     i = next_place(i)) {
		struct guarded moved = guarded[i];

		guarded[i].address = 0;
		nguarded--;
		guard_put(&moved);
	}
}

bool map_guard_cut(const void *address)
{
	const struct guarded *entry = guard_find(address);

	return entry && entry->cut;
}

/* Maps a page of zeros where the file has none any more. */
SIGSAFE static void on_sigbus(int signal, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(page_bytes - 1);
	int saved = errno;
	void *p = MAP_FAILED;

	for (size_t i = 0; i < guarded_room; i++)
		if (guarded[i].address &&
		    page - guarded[i].address < guarded[i].bytes) {
			guarded[i].cut = true;
			map_guard_cuts++;
			p = mmap((void *)page, page_bytes,
				 PROT_READ | PROT_WRITE,
				 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1,
				 0);
		}
	/* not ours: the default action follows when the load is repeated */
	if (p == MAP_FAILED) {
		struct sigaction action = { .sa_handler = SIG_DFL };

		sigaction(signal, &action, NULL);
	}
	errno = saved;
}

void map_guard(void)
{
	struct sigaction action = { .sa_sigaction = on_sigbus,
				    .sa_flags = SA_SIGINFO };

	page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigaction(SIGBUS, &action, NULL);
}

/* Opens a regular file, and sets map->bytes. The caller closes it. */
static int open_file(struct file_map *map, int dirfd, const char *name,
		     size_t least, size_t bytes)
{
	struct stat st;

	memset(map, 0, sizeof(*map));
	map->fd = openat(dirfd, name,
			 O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
				 O_NOCTTY);
	if (map->fd < 0)
		return -errno;
	if (fstat(map->fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size < (off_t)least || st.st_size < (off_t)bytes ||
	    !st.st_size)
		return -EBADMSG;
	map->bytes = bytes ? bytes : (size_t)st.st_size;
	return 0;
}

/* Maps the file that open_file() has opened. */
static int map_file(struct file_map *map)
{
	void *p = mmap(NULL, map->bytes, PROT_READ, MAP_SHARED, map->fd, 0);
	int ret;

	if (p == MAP_FAILED)
		return map_error();
	ret = map_guard_add(p, map->bytes);
	if (ret)
		munmap(p, map->bytes);
	else
		map->address = p;
	return ret;
}

static void close_fd(struct file_map *map)
{
	if (map->fd >= 0)
		close(map->fd);
	map->fd = -1;
}

int file_map_open(struct file_map *map, int dirfd, const char *name,
		  size_t least, size_t bytes)
{
	int ret = open_file(map, dirfd, name, least, bytes);

	if (!ret)
		ret = map_file(map);
	if (ret)
		close_fd(map);
	return ret;
}

/* Reads the file into memory, as far as it goes by now. */
static int copy_file(struct file_map *map)
{
	ssize_t n;

	map->copy = malloc(map->bytes);
	if (!map->copy)
		return -ENOMEM;
	n = pread(map->fd, map->copy, map->bytes, 0);
	if (n > 0) {
		map->address = map->copy;
		map->bytes = (size_t)n;
		return 0;
	}
	n = n ? -errno : -EBADMSG;
	free(map->copy);
	map->copy = NULL;
	return (int)n;
}

int file_map_open_many(struct file_map *map, int dirfd, const char *name)
{
	int ret = open_file(map, dirfd, name, 1, 0);

	if (!ret)
		ret = map->bytes > COPY_BYTES_MAX ? map_file(map) :
						    copy_file(map);
	close_fd(map);
	return ret;
}

int file_map_open_shared(struct file_map *map, int dirfd, const char *name,
			 size_t least, size_t bytes)
{
	struct stat file, directory;
	int ret = file_map_open(map, dirfd, name, least, bytes);

	if (ret)
		return ret;
	if (!fstat(map->fd, &file) && !fstat(dirfd, &directory) &&
	    file.st_uid == directory.st_uid)
		return 0;
	file_map_close(map);
	return -EPERM;
}

void file_map_close(struct file_map *map)
{
	if (!map->address)
		return;
	if (map->copy) {
		free(map->copy);
	} else {
		map_guard_remove(map->address);
		munmap((void *)map->address, map->bytes);
	}
	close_fd(map);
	map->copy = NULL;
	map->address = NULL;
}
