/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tells this process from others that have the same pid and start time: pids
 * are used again, and the clock of start times has 100 ticks a second.
 */
#include "control/sessions/identity-private.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/entries.h"
#include "base/file.h"
#include "base/sys.h"
#include "buffers/layout.h"
#include "control/sessions/place.h"
#include "control/threads/thread.h"

struct look {
	uint64_t own;
	int fresh;
	int foreign;
};

uint64_t identity_read(void)
{
	struct {
		long type;
		long rest[15];
	} fs = { 0 };
	struct stat st = { 0 };
	/* valgrind 3.19 does not know the call, and says so */
	int fd = thread_translated() ?
			 -1 : (int)sys2(SYS_pidfd_open, sys_getpid(), 0);

	if (fd < 0)
		return 0;
	/* on older kernels all pidfds have one inode */
	if (sys2(SYS_fstatfs, fd, &fs) || fs.type != IDENTITY_FS_MAGIC ||
	    sys2(SYS_fstat, fd, &st))
		st.st_ino = 0;
	sys_close(fd);
	return st.st_ino;
}

static void look_image(int process, const char *name, void *arg)
{
	struct look *look = arg;
	uint64_t identity = 0;
	int image;
	int fd;

	if (*name < '0' || *name > '9')
		return;
	look->foreign |= look->fresh;
	image = file_open_directory(process, name);
	if (image < 0)
		return;
	fd = file_open(image, "process", O_RDONLY, PROCESS_BYTES,
		       PROCESS_BYTES);
	sys_close(image);
	if (fd < 0)
		return;
	sys4(SYS_pread64, fd, &identity, sizeof(identity),
	     offsetof(struct process_page, identity));
	sys_close(fd);
	look->foreign |= identity && look->own && identity != look->own;
}

int identity_foreign(const char *directory, uint64_t own, int fresh)
{
	struct look look = { .own = own, .fresh = fresh };
	int fd = file_open_directory(AT_FDCWD, directory);

	if (fd < 0)
		return 0;
	entries_each(fd, look_image, &look);
	sys_close(fd);
	return look.foreign;
}
