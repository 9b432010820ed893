/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Letting a group in: whoever is in it may do to this process what its user
 * may, by its sockets and its files.
 *
 * What must stay true: a file gets the group before it gets the group's
 * rights, and its directory is the last. The runtime directory can be searched
 * then by anybody, and read by nobody else; those of other processes stay the
 * user's alone.
 */
#include "agent/place.h"

#include <errno.h>
#include <fcntl.h>

#include "agent/agent.h"
#include "agent/entries.h"
#include "agent/gdb.h"
#include "buffers/base.h"
#include "buffers/channel.h"
#include "buffers/sys.h"

#define GROUP_FILE_MODE		0660
#define GROUP_DIRECTORY_MODE	0750
#define SEARCHED_MODE		0711

/* Names are ours, in directories that nobody else writes. */
static int share_at(int fd, const char *name, int mode)
{
	int ret = (int)sys5(SYS_fchownat, fd, name, -1, channel_group,
			    AT_SYMLINK_NOFOLLOW);

	return ret ? ret : (int)sys4(SYS_fchmodat, fd, name, mode, 0);
}

static void share_entry(int fd, const char *name, void *arg)
{
	int *ret = arg;
	int failed = share_at(fd, name, GROUP_FILE_MODE);

	if (failed && failed != -ENOENT)
		*ret = failed;
}

int place_share_socket(const char *path)
{
	if (channel_group && !share_at(AT_FDCWD, path, GROUP_FILE_MODE))
		return 0;
	return (int)sys4(SYS_fchmodat, AT_FDCWD, path, 0600, 0);
}

static int sockets_share(void)
{
	static const char *const names[] = { "control.sock", GDB_SOCKET };
	char path[PLACE_SOCKET_BYTES];
	uint32_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		place_socket_path(path, sizeof(path), names[i]);
		ret = place_share_socket(path);
		if (ret && ret != -ENOENT)
			return ret;
	}
	return 0;
}

int place_share_directories(void)
{
	int ret;
	int fd;

	if (!channel_group)
		return 0;
	fd = (int)sys_open(process.directory, O_RDONLY | O_DIRECTORY |
					      O_NOFOLLOW | O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	ret = 0;
	entries_each(fd, share_entry, &ret);
	sys_close(fd);
	if (!ret)
		ret = sockets_share();
	if (!ret)
		ret = share_at(AT_FDCWD, process.directory,
			       GROUP_DIRECTORY_MODE);
	if (!ret)
		ret = (int)sys4(SYS_fchmodat, AT_FDCWD, place_runtime,
				SEARCHED_MODE, 0);
	return ret ? ret : share_at(AT_FDCWD, place_process,
				    GROUP_DIRECTORY_MODE);
}

int place_share(uint32_t group)
{
	int ret;

	if (channel_group)
		return channel_group == group ? 0 : -EBUSY;
	channel_group = group;
	ret = place_share_directories();
	if (ret)
		channel_group = 0;
	return ret;
}
