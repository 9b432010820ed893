/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of sessions/ (control/protocol.h): the rules that later processes
 * obey, those for the programs that one process executes
 * (control/sessions/inheritance.c obeys them), and the files by which agents
 * know that a recorder is there.
 *
 * Invariants:
 *  - nothing read from a file is used before it was checked;
 *  - a file for a process's programs goes when its session does, or when
 *    neither the process has left a directory nor a living process has the
 *    session. It is found below the directory of that process, whose user owns
 *    it: root writes into no other user's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/runtime/private.h"
#include "control/protocol.h"

#define RULES_BYTES_MAX		(256u << 10)
#define OFF_ROOM_BYTES		4096

/* Gives a new file to the runtime directory's user. Returns 0 or -1. */
static int file_give(const struct rundir *dir, int fd)
{
	return dir->uid == geteuid() ? 0 : fchown(fd, dir->uid, -1);
}

int rundir_open_rules(const struct rundir *dir, bool create)
{
	struct stat st;
	bool made = create && !mkdirat(dir->fd, PROTOCOL_SESSIONS_DIR, 0700);
	int fd;

	if (create && !made && errno != EEXIST)
		return -errno;
	fd = openat(dir->fd, PROTOCOL_SESSIONS_DIR, O_RDONLY | O_DIRECTORY |
		    O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* a directory that others may write to cannot be trusted */
	if ((made && file_give(dir, fd)) || fstat(fd, &st) ||
	    st.st_uid != dir->uid || (st.st_mode & 022)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

static int write_all(int fd, const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(fd, text, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		text += n;
		bytes -= n;
	}
	return 0;
}

int rundir_write_file(const struct rundir *dir, const char *name,
		      const char *text)
{
	char temporary[NAME_MAX + 1];
	int below = rundir_open_rules(dir, true);
	int fd, ret;

	if (below < 0)
		return below;
	/* no session's name begins with a dot, so no agent reads this file */
	snprintf(temporary, sizeof(temporary), ".%s.%d", name, getpid());
	unlinkat(below, temporary, 0);
	fd = openat(below, temporary, O_WRONLY | O_CREAT | O_EXCL |
		    O_NOFOLLOW | O_CLOEXEC, 0600);
	ret = fd < 0 ? -errno : write_all(fd, text, strlen(text));
	if (!ret && file_give(dir, fd))
		ret = -errno;
	if (fd >= 0 && close(fd) && !ret)
		ret = -errno;
	if (!ret && renameat(below, temporary, below, name))
		ret = -errno;
	if (ret && fd >= 0)
		unlinkat(below, temporary, 0);
	close(below);
	return ret;
}

int rundir_write_rules(struct rundir *dir, const char *name, const char *text)
{
	return rundir_valid_name(name) ? rundir_write_file(dir, name, text) :
					 -EINVAL;
}

int rundir_read_file(const struct rundir *dir, const char *name, char **text)
{
	int below = rundir_open_rules(dir, false);
	struct stat st;
	ssize_t n;
	int fd, ret;

	if (below < 0)
		return below;
	fd = openat(below, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC |
		    O_NONBLOCK | O_NOCTTY);
	ret = fd < 0 ? -errno : 0;
	close(below);
	if (ret)
		return ret;
	*text = NULL;
	ret = -EBADMSG;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    st.st_uid != dir->uid || st.st_size > RULES_BYTES_MAX)
		goto out;
	*text = malloc(st.st_size + 1);
	if (!*text) {
		ret = -ENOMEM;
		goto out;
	}
	n = read(fd, *text, st.st_size);
	ret = n < 0 ? -errno : 0;
	(*text)[n < 0 ? 0 : n] = '\0';
	if (ret) {
		free(*text);
		*text = NULL;
	}
out:
	close(fd);
	return ret;
}

int rundir_read_rules(struct rundir *dir, const char *name, char **text)
{
	return rundir_valid_name(name) ? rundir_read_file(dir, name, text) :
					 -EINVAL;
}

static void off_name(char file[NAME_MAX + 1], const char *name)
{
	snprintf(file, NAME_MAX + 1, PROTOCOL_OFF_PREFIX "%s", name);
}

/* Returns 1 when a recorder holds the lock on the file, 0 when none does, or
 * -ENOENT. */
static int off_held(int below, const char *file)
{
	int fd = openat(below, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC |
			O_NONBLOCK | O_NOCTTY);
	int ret;

	if (fd < 0)
		return errno == ENOENT ? -ENOENT : 0;
	ret = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return ret;
}

int rundir_recorder(struct rundir *dir, const char *name)
{
	char file[NAME_MAX + 1];
	int below = rundir_open_rules(dir, false);
	int ret;

	if (below < 0)
		return below;
	off_name(file, name);
	ret = off_held(below, file);
	close(below);
	return ret;
}

int rundir_open_off(struct rundir *dir, const char *name)
{
	char file[NAME_MAX + 1];
	int below = rundir_open_rules(dir, false);
	struct stat st;
	int fd;

	if (below < 0)
		return below;
	off_name(file, name);
	fd = openat(below, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC |
		    O_NONBLOCK | O_NOCTTY);
	close(below);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == dir->uid)
		return fd;
	close(fd);
	return -EPERM;
}

int rundir_create_off(struct rundir *dir, const char *name)
{
	char file[NAME_MAX + 1];
	int fd, ret, below;

	if (!rundir_valid_name(name))
		return -EINVAL;
	below = rundir_open_rules(dir, true);
	if (below < 0)
		return below;
	off_name(file, name);
	/* one command at a time looks whether the name is free */
	rundir_take_turn(below);
	if (off_held(below, file) > 0) {
		close(below);
		return -EBUSY;
	}
	unlinkat(below, file, 0);
	fd = openat(below, file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW |
		    O_CLOEXEC, 0600);
	if (fd < 0) {
		fd = -errno;
	} else if (file_give(dir, fd) || flock(fd, LOCK_SH | LOCK_NB)) {
		unlinkat(below, file, 0);
		close(fd);
		fd = -EPERM;
	} else if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, OFF_ROOM_BYTES) &&
		   (errno == ENOSPC || errno == EDQUOT)) {
		/* agents that find no room write here: it must have room */
		ret = -errno;
		close(fd);
		unlinkat(below, file, 0);
		fd = ret;
	}
	close(below);
	return fd;
}

void rundir_heirs_each(const struct rundir *dir,
		       bool (*call)(const char *name, const char *of,
				    const void *priv),
		       const void *priv)
{
	int below = rundir_open_rules(dir, false);
	DIR *stream = below < 0 ? NULL : rundir_opendir(below, ".");
	struct dirent *entry;
	const char *at;

	while (stream && (entry = readdir(stream))) {
		at = strchr(entry->d_name, PROTOCOL_INHERITANCE);
		if (at && entry->d_name[0] != '.' &&
		    call(entry->d_name, at + 1, priv))
			unlinkat(below, entry->d_name, 0);
	}
	if (stream)
		closedir(stream);
	if (below >= 0)
		close(below);
}

static bool has_name(const char *name, const char *of, const void *session)
{
	size_t n = strlen(session);

	return of == name + n + 1 && !strncmp(name, session, n);
}

int rundir_remove_rules(struct rundir *dir, const char *name)
{
	char file[NAME_MAX + 1];
	int ret = 0, below;

	if (!rundir_valid_name(name))
		return -EINVAL;
	below = rundir_open_rules(dir, false);
	if (below < 0)
		return below;
	if (unlinkat(below, name, 0))
		ret = -errno;
	off_name(file, name);
	/* a recorder that is at work holds the lock */
	rundir_take_turn(below);
	if (off_held(below, file) <= 0)
		unlinkat(below, file, 0);
	close(below);
	rundir_heirs_each(dir, has_name, name);
	return ret;
}

int rundir_each_rules(struct rundir *dir,
		      int (*call)(const char *name, void *priv), void *priv)
{
	int fd = rundir_open_rules(dir, false), ret = 0;
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (fd >= 0 && !stream)
		close(fd);
	while (stream && !ret && (entry = readdir(stream)))
		if (rundir_valid_name(entry->d_name))
			ret = call(entry->d_name, priv);
	if (stream)
		closedir(stream);
	return ret;
}

/* Opens the runtime directory that the process's is in. */
static int open_around(struct rundir *dir, const struct rundir_process *process)
{
	struct stat st;

	dir->uid = process->uid;
	dir->fd = openat(process->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd < 0)
		return -errno;
	if (!fstat(dir->fd, &st) && st.st_uid == dir->uid)
		return 0;
	rundir_close(dir);
	return -EPERM;
}

static void file_name(char name[NAME_MAX + 1], const char *session,
		      const struct rundir_process *process)
{
	snprintf(name, NAME_MAX + 1, "%s%c%s", session, PROTOCOL_INHERITANCE,
		 process->name);
}

int rundir_heirs_write(const struct rundir_process *process,
		       const char *session, const char *text,
		       char name[NAME_MAX + 1])
{
	struct rundir dir;
	int ret = open_around(&dir, process);

	if (ret)
		return ret;
	file_name(name, session, process);
	ret = rundir_write_file(&dir, name, text);
	rundir_close(&dir);
	return ret;
}

int rundir_heirs_read(const struct rundir_process *process,
		      const char *session, char **text)
{
	char name[NAME_MAX + 1];
	struct rundir dir;
	int ret = open_around(&dir, process);

	if (ret)
		return ret;
	file_name(name, session, process);
	ret = rundir_read_file(&dir, name, text);
	rundir_close(&dir);
	return ret;
}

static bool heir_is_of(const char *name, const char *of, const void *process)
{
	(void)name;
	return !strcmp(of, process);
}

void rundir_heirs_remove(const struct rundir_process *process,
			 const char *session)
{
	char name[NAME_MAX + 1];
	struct rundir dir;
	int below;

	if (open_around(&dir, process))
		return;
	below = session ? rundir_open_rules(&dir, false) : -1;
	if (below >= 0) {
		file_name(name, session, process);
		unlinkat(below, name, 0);
		close(below);
	} else if (!session) {
		rundir_heirs_each(&dir, heir_is_of, process->name);
	}
	rundir_close(&dir);
}

/* Returns 1 when a living process has the session. */
static int session_lives(struct rundir_process *process, void *session)
{
	struct session_page page;

	return process->alive &&
	       !rundir_find_session(process, process->image, session, &page);
}

static bool is_stale(const char *name, const char *of, const void *priv)
{
	char session[SESSION_NAME_BYTES];
	struct rundir dir = *(const struct rundir *)priv;
	struct stat st;

	if (!fstatat(dir.fd, of, &st, AT_SYMLINK_NOFOLLOW) || errno != ENOENT)
		return false;
	if (of - name > SESSION_NAME_BYTES)
		return true;
	snprintf(session, sizeof(session), "%.*s", (int)(of - name - 1), name);
	return !rundir_each(&dir, session_lives, session);
}

void rundir_heirs_sweep(int fd, uid_t uid)
{
	const struct rundir dir = { .fd = fd, .uid = uid };

	rundir_heirs_each(&dir, is_stale, &dir);
}
