/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rings take as much memory as their files in the runtime directory have
 * blocks. The files are added up whenever a ring is wanted, which is rare. A
 * count kept by the processes would be wrong after one of them is killed.
 *
 * Invariant: from the sum until the new file is made, a process keeps the
 * directory locked, so no other process makes a ring meanwhile. A process that
 * does not get the lock within QUOTA_WAIT_MS gets no ring: a program could hold
 * the lock without need.
 */
#include "control/sessions/quota.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "base/file.h"
#include "base/sys.h"
#include "base/text.h"
#include "base/tunables.h"
#include "buffers/rings/channel.h"
#include "control/protocol.h"
#include "control/sessions/place.h"

#define QUOTA_WAIT_MS	200
#define QUOTA_PAUSE_NS	1000000	/* 1 ms */

struct usage {
	const char *name;	/* of the session that wants a ring */
	int64_t index;		/* of the session looked at last, -1: none */
	int same;		/* 1: this session has that name */
	uint64_t session;	/* bytes of rings of sessions of that name */
	uint64_t all;
};

static uint64_t user_quota;

int quota_session_name(int image, const char *file,
		       char name[SESSION_NAME_BYTES])
{
	int fd = file_open(image, file, O_RDONLY, sizeof(struct session_page),
			   UINT64_MAX);

	if (fd < 0)
		return fd;
	__builtin_memset(name, 0, SESSION_NAME_BYTES);
	sys4(SYS_pread64, fd, name, SESSION_NAME_BYTES - 1,
	     offsetof(struct session_page, name));
	sys_close(fd);
	return 0;
}

/* Adds the blocks of a ring; those of one session follow each other. */
static void add_file(int fd, const char *name, void *arg)
{
	struct usage *usage = arg;
	const char *number = text_after(name, "ring.");
	char found[SESSION_NAME_BYTES], path[32];
	struct text text;
	struct stat st;
	int64_t index;
	uint64_t bytes;

	if (!number || sys4(SYS_newfstatat, fd, name, &st,
			    AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return;
	bytes = (uint64_t)st.st_blocks * 512;
	usage->all += bytes;
	index = text_number(&number);
	if (index != usage->index) {
		text_open(&text, path, sizeof(path));
		text_add(&text, "session.");
		text_add_number(&text, index);
		usage->index = index;
		usage->same = !quota_session_name(fd, path, found) &&
			      text_equal(found, usage->name);
	}
	if (usage->same)
		usage->session += bytes;
}

/* Opens a directory whose name begins with a digit: PID.STARTTIME, IMAGE. */
static int directory_enter(int fd, const char *name)
{
	return *name < '0' || *name > '9' ? -1 : file_open_directory(fd, name);
}

static void add_image(int fd, const char *name, void *arg)
{
	struct usage *usage = arg;
	int image = directory_enter(fd, name);

	if (image < 0)
		return;
	usage->index = -1;
	entries_each(image, add_file, usage);
	sys_close(image);
}

static void add_process(int fd, const char *name, void *arg)
{
	int inner = directory_enter(fd, name);

	if (inner < 0)
		return;
	entries_each(inner, add_image, arg);
	sys_close(inner);
}

int quota_lock(void)
{
	struct timespec pause = { .tv_nsec = QUOTA_PAUSE_NS };
	int fd = file_open_directory(AT_FDCWD, place_runtime);

	for (int i = 0; fd >= 0 && i < QUOTA_WAIT_MS; i++) {
		if (!sys2(SYS_flock, fd, LOCK_EX | LOCK_NB))
			return fd;
		sys2(SYS_nanosleep, &pause, NULL);
	}
	if (fd >= 0)
		sys_close(fd);
	return fd < 0 ? fd : -EAGAIN;
}

/* Returns true when a file of so many bytes leaves the reserve free. A file
 * system that cannot be asked, or has no limit (0), decides itself. */
static bool room_for(uint64_t bytes)
{
	struct statfs fs;
	uint64_t reserve;

	if (sys2(SYS_statfs, place_runtime, &fs))
		return true;
	reserve = min_u64(fs.f_blocks * (uint64_t)fs.f_bsize / RESERVE_PART,
			  RESERVE_BYTES);
	if (fs.f_blocks &&
	    fs.f_bavail * (uint64_t)fs.f_bsize < bytes + reserve)
		return false;
	reserve = min_u64(fs.f_files / RESERVE_PART, RESERVE_FILES);
	return !fs.f_files || fs.f_ffree > reserve;
}

/* As quota_admit(), for a session with this quota, or 0. */
static int session_admit(const char *name, uint64_t quota, uint64_t bytes)
{
	struct usage usage = { .name = name, .index = -1 };
	char path[SESSION_NAME_BYTES + 32];
	struct text text;
	int fd, image;

	if (!room_for(bytes))
		return -ENOSPC;
	if (!user_quota && !quota)
		return CHANNEL_ADMITTED;
	fd = quota_lock();
	if (fd < 0)
		return fd;
	/* first the rings that processes of this session share */
	text_open(&text, path, sizeof(path));
	text_add(&text, PROTOCOL_SESSIONS_DIR "/" PROTOCOL_SHARED_PREFIX);
	text_add(&text, usage.name);
	text_add(&text, "/0");
	image = file_open_directory(fd, path);
	if (image >= 0) {
		entries_each(image, add_file, &usage);
		sys_close(image);
	}
	entries_each(fd, add_process, &usage);
	if ((user_quota && usage.all + bytes > user_quota) ||
	    (quota && usage.session + bytes > quota)) {
		sys_close(fd);
		return -EDQUOT;
	}
	return fd;
}

static int quota_admit(const struct channel *channel, uint64_t bytes)
{
	return session_admit(channel->page->name, channel->quota, bytes);
}

static void quota_made(int admitted)
{
	if (admitted != CHANNEL_ADMITTED)
		sys_close(admitted);
}

int quota_share(const char *name, uint64_t bytes, bool *late)
{
	int ret = session_admit(name, 0, bytes);

	*late = !user_quota && room_for(LATE_PART * bytes);
	if (ret < 0)
		return ret;
	quota_made(ret);
	return 0;
}

int quota_setup(const char *value)
{
	int64_t number;

	channel_admit = quota_admit;
	channel_made = quota_made;
	if (!value || !*value)
		return 0;
	number = text_bytes(value);
	if (number < 0)
		return -EINVAL;
	user_quota = (uint64_t)number;
	return 0;
}
