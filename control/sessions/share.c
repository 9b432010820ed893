/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lets a group in: through the sockets and files of this process, members may
 * do the same to the process as the process's user.
 *
 * Invariant: a file gets the group before it gets the group's rights, and the
 * directory gets both last. Then every user can search the runtime directory,
 * but only the owner can list it; directories of other processes stay the
 * user's alone.
 */
#include "control/sessions/place.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/file.h"
#include "base/sys.h"
#include "buffers/rings/channel.h"
#include "control/protocol.h"
#include "control/threads/settings.h"

#define GROUP_FILE_MODE		0660
#define GROUP_DIRECTORY_MODE	0750
#define SEARCHED_MODE		0711

/* Gives the file to the group, and closes the descriptor. */
static int share_descriptor(int fd, int mode)
{
	int ret = fd < 0 ? fd : (int)sys3(SYS_fchown, fd, -1, channel_group);

	if (!ret)
		ret = (int)sys2(SYS_fchmod, fd, mode);
	if (fd >= 0)
		sys_close(fd);
	return ret;
}

static int share_directory(const char *path)
{
	return share_descriptor(file_open_directory(AT_FDCWD, path),
				GROUP_DIRECTORY_MODE);
}

/* Shares a file of the agent's. Leaves everything else as it is: another
 * program put it there. */
static void share_entry(int fd, const char *name, void *arg)
{
	int *ret = arg;
	int file = file_open(fd, name, O_RDONLY, 0, UINT64_MAX);
	int failed = file;

	if (file == -EPERM || file == -ELOOP || file == -ENXIO ||
	    file == -ENOENT)
		return;
	if (file >= 0)
		failed = share_descriptor(file, GROUP_FILE_MODE);
	if (failed)
		*ret = failed;
}

int place_share_socket(const char *path)
{
	struct stat st;
	int ret = (int)sys4(SYS_newfstatat, AT_FDCWD, path, &st,
			    AT_SYMLINK_NOFOLLOW);

	/* Sockets in a directory are changed by path: chmod would follow a
	 * symlink, which only another program of this user could put there
	 * between this check and the change. */
	if (!ret && !S_ISSOCK(st.st_mode))
		ret = -EPERM;
	if (ret)
		return ret;
	if (channel_group &&
	    !sys5(SYS_fchownat, AT_FDCWD, path, -1, channel_group,
		  AT_SYMLINK_NOFOLLOW) &&
	    !sys4(SYS_fchmodat, AT_FDCWD, path, GROUP_FILE_MODE, 0))
		return 0;
	return (int)sys4(SYS_fchmodat, AT_FDCWD, path, 0600, 0);
}

int place_share_directories(void)
{
	static const char *const names[] = { CONTROL_SOCKET, GDB_SOCKET };
	char path[PLACE_SOCKET_BYTES];
	struct stat st;
	int ret, fd;

	if (!channel_group)
		return 0;
	fd = file_open_directory(AT_FDCWD, process.directory);
	if (fd < 0)
		return fd;
	ret = 0;
	entries_each(fd, share_entry, &ret);
	sys_close(fd);
	for (uint32_t i = 0; !ret && i < ARRAY_SIZE(names); i++) {
		place_socket_path(path, sizeof(path), names[i]);
		ret = place_share_socket(path);
		ret = ret == -ENOENT ? 0 : ret;
	}
	if (!ret)
		ret = share_directory(process.directory);
	if (ret)
		return ret;
	/* lets all users search the runtime directory, if they cannot yet */
	fd = file_open_directory(AT_FDCWD, place_runtime);
	if (fd < 0)
		return fd;
	ret = (int)sys2(SYS_fstat, fd, &st);
	if (!ret && !(st.st_mode & 066) &&
	    (st.st_mode & SEARCHED_MODE) != SEARCHED_MODE)
		ret = (int)sys2(SYS_fchmod, fd, SEARCHED_MODE);
	sys_close(fd);
	return ret ? ret : share_directory(place_process);
}

int place_share(uint32_t group)
{
	int ret;

	if (agent_signal)
		return -ENOTSUP;
	if (channel_group)
		return channel_group == group ? 0 : -EBUSY;
	channel_group = group;
	ret = place_share_directories();
	if (ret)
		channel_group = 0;
	return ret;
}
