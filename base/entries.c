/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names in a directory, without libc.
 */
#include "base/file.h"

#include "base/sys.h"

/* getdents64(2) */
struct linux_dirent64 {
	uint64_t ino;
	int64_t off;
	uint16_t reclen;
	uint8_t type;
	char name[];
};

void entries_each(int fd, void (*call)(int fd, const char *name, void *arg),
		  void *arg)
{
	char entries[2048] __attribute__((aligned(8)));
	long n;

	while ((n = sys3(SYS_getdents64, fd, entries, sizeof(entries))) > 0) {
		long at = 0;

		while (at < n) {
			struct linux_dirent64 *entry =
				(struct linux_dirent64 *)(entries + at);

			at += entry->reclen;
			if (entry->name[0] != '.')
				call(fd, entry->name, arg);
		}
	}
}
