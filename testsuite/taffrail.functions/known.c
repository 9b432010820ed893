/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls functions of libc whose prototypes the agent knows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	const char *volatile path = NULL;
	char bytes[8];
	void *block;
	int fd = open("/dev/zero", O_RDWR | O_CLOEXEC);

	if (fd < 0 || open("/proc/nonexistent", O_RDONLY) != -1 ||
	    open(path, O_RDONLY) != -1)
		return 1;
	path = (const char *)(uintptr_t)4096;
	if (open(path, O_RDONLY) != -1 || read(fd, bytes, 8) != 8 ||
	    write(-1, "abc", 3) != -1 || mkdir("/proc/nonexistent/a", 0750) != -1)
		return 1;
	block = calloc(123457, 1);
	block = realloc(block, 234567);
	free(block);
	block = mmap(NULL, 12345, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	return munmap(block, 12345) || close(fd);
}
