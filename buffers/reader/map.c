/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Maps files that belong to another process.
 *
 * What must stay true here: the owner of a file may truncate it at any time;
 * a load beyond its end then raises SIGBUS. The handler maps zeros there, if
 * the address lies in one of our mappings, and the checks do the rest.
 */
#include "buffers/reader/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

#define GUARDED_MAX	4096

/* Written by the reading thread, read by its own signal handler. Mappings
 * beyond this many stay unguarded. */
static volatile struct guarded {
	uintptr_t address;
	size_t bytes;
	bool cut;
} guarded[GUARDED_MAX];

static uintptr_t page_bytes = 4096;

int map_error(void)
{
	return errno == EAGAIN ? -ENOLCK : -errno;
}

void map_guard_add(const void *address, size_t bytes)
{
	int i;

	for (i = 0; i < GUARDED_MAX; i++) {
		if (guarded[i].bytes)
			continue;
		guarded[i].address = (uintptr_t)address;
		guarded[i].cut = false;
		guarded[i].bytes = bytes;
		return;
	}
}

void map_guard_remove(const void *address)
{
	int i;

	for (i = 0; i < GUARDED_MAX; i++) {
		if (!guarded[i].bytes ||
		    guarded[i].address != (uintptr_t)address)
			continue;
		guarded[i].bytes = 0;
		return;
	}
}

bool map_guard_cut(const void *address)
{
	int i;

	for (i = 0; i < GUARDED_MAX; i++)
		if (guarded[i].bytes &&
		    guarded[i].address == (uintptr_t)address)
			return guarded[i].cut;
	return false;
}

SIGSAFE static void *zero_page(uintptr_t page)
{
	return mmap((void *)page, page_bytes, PROT_READ | PROT_WRITE,
		    MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

SIGSAFE static void on_sigbus(int signal, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(page_bytes - 1);
	int saved = errno;
	void *p = MAP_FAILED;
	int i;

	for (i = 0; i < GUARDED_MAX; i++)
		if (page - guarded[i].address < guarded[i].bytes) {
			guarded[i].cut = true;
			p = zero_page(page);
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

int file_map_open(struct file_map *map, int dirfd, const char *name,
		  size_t least, size_t bytes)
{
	struct stat st;
	void *p;
	int ret;

	memset(map, 0, sizeof(*map));
	map->fd = openat(dirfd, name,
			 O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK |
				 O_NOCTTY);
	if (map->fd < 0)
		return -errno;
	ret = -errno;
	if (fstat(map->fd, &st))
		goto close;
	ret = -EINVAL;
	if (!S_ISREG(st.st_mode))
		goto close;
	ret = -EBADMSG;
	if (st.st_size < (off_t)least || st.st_size < (off_t)bytes ||
	    !st.st_size)
		goto close;
	map->bytes = bytes ? bytes : (size_t)st.st_size;
	p = mmap(NULL, map->bytes, PROT_READ, MAP_SHARED, map->fd, 0);
	ret = map_error();
	if (p == MAP_FAILED)
		goto close;
	map->address = p;
	map_guard_add(p, map->bytes);
	return 0;
close:
	close(map->fd);
	map->fd = -1;
	return ret;
}

int file_map_open_shared(struct file_map *map, int dirfd, const char *name,
			 size_t least, size_t bytes)
{
	struct stat file;
	struct stat directory;
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
	map_guard_remove(map->address);
	munmap((void *)map->address, map->bytes);
	if (map->fd >= 0)
		close(map->fd);
	map->address = NULL;
	map->fd = -1;
}
