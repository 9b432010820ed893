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

static void each_name(int fd, bool dotted,
		      void (*call)(int fd, const char *name, void *arg),
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
			if ((entry->name[0] == '.') == dotted)
				call(fd, entry->name, arg);
		}
	}
}

void entries_each(int fd, void (*call)(int fd, const char *name, void *arg),
		  void *arg)
{
	each_name(fd, false, call, arg);
}

void entries_each_dotted(int fd,
			 void (*call)(int fd, const char *name, void *arg),
			 void *arg)
{
	each_name(fd, true, call, arg);
}
