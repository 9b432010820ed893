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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/host.h"
#include "base/text.h"
#include "buffers/clock.h"
#include "command/procfs/process.h"
#include "command/runtime/private.h"
#include "control/protocol.h"

#define RULES_BYTES_MAX		(256u << 10)
#define OFF_ROOM_BYTES		4096
#define MACHINE_LINES_BYTES	160
#define DESCRIPTORS		"/proc/self/fd"

/* Gives a new file to the runtime directory's user, with the rights that the
 * umask may have taken. Returns 0 or -1. */
static int file_give(const struct rundir *dir, int fd)
{
	return fchmod(fd, 0600) ||
	       (dir->uid != geteuid() && fchown(fd, dir->uid, -1)) ? -1 : 0;
}

int rundir_open_rules(const struct rundir *dir, bool create)
{
	struct stat st;
	int fd;

	if (create && !rundir_make_directory(dir->fd, PROTOCOL_SESSIONS_DIR,
					     dir->uid) && errno != EEXIST)
		return -errno;
	fd = openat(dir->fd, PROTOCOL_SESSIONS_DIR, O_RDONLY | O_DIRECTORY |
		    O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* a directory that others may write to cannot be trusted */
	if (fstat(fd, &st) || st.st_uid != dir->uid || (st.st_mode & 022)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

void boot_id_read(uint8_t id[static 16])
{
	FILE *in = fopen("/proc/sys/kernel/random/boot_id", "re");
	unsigned int digit, n = 0;
	char text[40] = "";

	if (in && !fgets(text, sizeof(text), in))
		*text = '\0';
	if (in)
		fclose(in);
	for (const char *p = text; *p && n < 32; p++)
		if (sscanf(p, "%1x", &digit) == 1) {
			id[n / 2] = (uint8_t)(id[n / 2] << 4 | digit);
			n++;
		}
}

/*
 * Returns the lines by which the agents of a session know the machine:
 *
 *	machine=CPUS BOOT-ID SOURCE	else each reads CPUs and clock source in
 *					/sys
 *	clock=HZ BOOT-ID		not where the clock is not the TSC; else
 *					each measures the rate for 200 us
 */
static const char *machine_lines(char lines[static MACHINE_LINES_BYTES])
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	char source[CLOCK_SOURCE_BYTES], boot[33] = "";
	int tsc = PR_TSC_SIGSEGV, n;
	unsigned int part[6];

	*lines = '\0';
	if (f && fscanf(f, "%8x-%4x-%4x-%4x-%4x%8x", &part[0], &part[1],
			&part[2], &part[3], &part[4], &part[5]) ==
			 ARRAY_SIZE(part))
		snprintf(boot, sizeof(boot), "%08x%04x%04x%04x%04x%08x",
			 part[0], part[1], part[2], part[3], part[4], part[5]);
	if (f)
		fclose(f);
	if (!*boot)
		return lines;
	clock_source_read(source);
	n = snprintf(lines, MACHINE_LINES_BYTES, "machine=%u %s %s\n",
		     host_cpus_possible(), boot, source);
	prctl(PR_GET_TSC, &tsc);
	clock_select(NULL);
	if (tsc == PR_TSC_ENABLE && clock_settle(0) == CLOCK_KIND_TSC)
		snprintf(lines + n, (size_t)(MACHINE_LINES_BYTES - n),
			 "clock=%llu %s\n", (unsigned long long)clock_hz(),
			 boot);
	return lines;
}

static int bytes_write(int fd, const char *text)
{
	size_t bytes = strlen(text);

	while (bytes) {
		ssize_t n = write(fd, text, bytes);

		if (n > 0) {
			text += n;
			bytes -= (size_t)n;
		} else if (!n || errno != EINTR) {
			return n ? -errno : -EIO;
		}
	}
	return 0;
}

/* Writes a file of sessions/ as a whole or not at all. Returns 0 or a negative
 * errno. */
static int rules_write(const struct rundir *dir, const char *name,
		       const char *text)
{
	char temporary[NAME_MAX + 1], path[32];
	int below = rundir_open_rules(dir, true);
	char lines[MACHINE_LINES_BYTES];
	bool nameless;
	int fd, ret = 0;

	if (below < 0)
		return below;
	/* no session's name begins with a dot, so no agent reads this file */
	snprintf(temporary, sizeof(temporary), ".%s.%d", name, getpid());
	unlinkat(below, temporary, 0);
	/* a file without a name goes with this command, if that is killed; it
	 * gets a name by way of /proc */
	fd = access(DESCRIPTORS, X_OK) ? -1 :
	     openat(below, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	nameless = fd >= 0;
	if (!nameless)
		fd = openat(below, temporary, O_WRONLY | O_CREAT | O_EXCL |
			    O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		ret = -errno;
	/* first, where agents look for them, and not in the text of a file
	 * that is changed, which has them */
	if (!ret && strncmp(text, "machine=", 8))
		ret = bytes_write(fd, machine_lines(lines));
	if (!ret)
		ret = bytes_write(fd, text);
	if (!ret && file_give(dir, fd))
		ret = -errno;
	snprintf(path, sizeof(path), DESCRIPTORS "/%d", fd);
	if (!ret && nameless && linkat(AT_FDCWD, path, below, name,
				       AT_SYMLINK_FOLLOW)) {
		/* to replace a file takes a name */
		nameless = false;
		if (errno != EEXIST || linkat(AT_FDCWD, path, below, temporary,
					      AT_SYMLINK_FOLLOW))
			ret = -errno;
	}
	if (fd >= 0 && close(fd) && !ret)
		ret = -errno;
	if (!ret && !nameless && renameat(below, temporary, below, name))
		ret = -errno;
	if (ret && fd >= 0)
		unlinkat(below, temporary, 0);
	close(below);
	return ret;
}

int rundir_write_rules(struct rundir *dir, const char *name, const char *text)
{
	return rundir_valid_name(name) ? rules_write(dir, name, text) : -EINVAL;
}

/* Reads a file of sessions/. Returns 0, and text that the caller frees; or a
 * negative errno: -EBADMSG for a file that commands do not write. */
static int rules_read(const struct rundir *dir, const char *name, char **text)
{
	int below = rundir_open_rules(dir, false);
	struct stat st;
	ssize_t n;
	int fd, ret;

	if (below < 0)
		return below;
	fd = rundir_open_own(below, name, O_RDONLY, dir->uid);
	close(below);
	if (fd < 0)
		return fd == -EPERM ? -EBADMSG : fd;
	*text = NULL;
	ret = -EBADMSG;
	if (!fstat(fd, &st) && st.st_size <= RULES_BYTES_MAX) {
		ret = -ENOMEM;
		*text = malloc((size_t)st.st_size + 1);
	}
	if (*text) {
		n = read(fd, *text, (size_t)st.st_size);
		ret = n < 0 ? -errno : 0;
		(*text)[n < 0 ? 0 : n] = '\0';
	}
	if (ret) {
		free(*text);
		*text = NULL;
	}
	close(fd);
	return ret;
}

int rundir_read_rules(struct rundir *dir, const char *name, char **text)
{
	return rundir_valid_name(name) ? rules_read(dir, name, text) : -EINVAL;
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

bool rundir_recorder_gone(struct rundir *dir, const char *name)
{
	int pid, held;

	if (sscanf(name, "record-%d", &pid) != 1 || pid <= 0)
		return false;
	held = rundir_recorder(dir, name);
	return !held || (held < 0 && kill(pid, 0) && errno == ESRCH);
}

int rundir_open_off(struct rundir *dir, const char *name)
{
	char file[NAME_MAX + 1];
	int below = rundir_open_rules(dir, false);
	int fd;

	if (below < 0)
		return below;
	off_name(file, name);
	fd = rundir_open_own(below, file, O_RDONLY, dir->uid);
	close(below);
	return fd;
}

/* Makes a file anew, with a shared lock. Returns a descriptor or a negative
 * errno. */
static int held_create(const struct rundir *dir, int below, const char *file)
{
	int fd;

	unlinkat(below, file, 0);
	fd = openat(below, file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW |
		    O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (!file_give(dir, fd) && !flock(fd, LOCK_SH | LOCK_NB))
		return fd;
	unlinkat(below, file, 0);
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
	fd = held_create(dir, below, file);
	if (fd >= 0 && fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, OFF_ROOM_BYTES) &&
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

static void deferred_name(char file[NAME_MAX + 1], const char *name)
{
	snprintf(file, NAME_MAX + 1, PROTOCOL_DEFERRED_PREFIX "%s", name);
}

int rundir_create_deferred(struct rundir *dir, const char *name)
{
	struct deferred_row head = { .page = rundir_namespace(getpid()),
				     .pid = (uint32_t)getpid() };
	/* lasts until this process closes the file, by any descriptor */
	struct flock lock = { .l_type = F_WRLCK };
	int below = rundir_open_rules(dir, false), fd;
	char file[NAME_MAX + 1];
	struct stat st;

	if (below < 0)
		return below;
	boot_id_read(head.uuid);
	if (!fstat(dir->fd, &st))
		head.entry = PROTOCOL_PLACE_ID(&st);
	deferred_name(file, name);
	fd = held_create(dir, below, file);
	if (fd >= 0 && (fcntl(fd, F_SETLK, &lock) ||
			ftruncate(fd, PROTOCOL_DEFERRED_ROWS) ||
			pwrite(fd, &head, sizeof(head), 0) != sizeof(head))) {
		unlinkat(below, file, 0);
		close(fd);
		fd = -EIO;
	}
	close(below);
	return fd;
}

const char *rundir_rules_next(struct rules_list *list, const struct rundir *dir,
			      const char *prefix)
{
	const char *name = NULL;
	struct dirent *entry;
	int fd;

	if (!list->stream) {
		fd = rundir_open_rules(dir, false);
		list->stream = fd < 0 ? NULL : fdopendir(fd);
		if (fd >= 0 && !list->stream)
			close(fd);
	}
	while (list->stream && !name && (entry = readdir(list->stream)))
		name = text_after(entry->d_name, prefix);
	if (!name)
		rundir_rules_end(list);
	return name;
}

void rundir_rules_end(struct rules_list *list)
{
	if (list->stream)
		closedir(list->stream);
	list->stream = NULL;
}

void rundir_each_deferred(struct rundir *dir, void (*call)(int fd))
{
	const size_t prefix = strlen(PROTOCOL_DEFERRED_PREFIX);
	struct rules_list list = { 0 };
	const char *name;
	int fd;

	while ((name = rundir_rules_next(&list, dir,
					 PROTOCOL_DEFERRED_PREFIX))) {
		fd = rundir_open_own(dirfd(list.stream), name - prefix,
				     O_RDONLY, dir->uid);
		if (fd >= 0)
			call(fd);
	}
}

/* Returns 1 when a living process has the session. */
static int session_lives(struct rundir_process *process, void *session)
{
	struct session_page page;

	return process->alive &&
	       !rundir_find_session(process, process->image, session, &page);
}

/* Removes the files NAME@PID.STARTTIME of a session or a process; with NULL for
 * both, those that no process needs any more. */
static void inheritance_drop(struct rundir *dir, const char *session,
			     const char *process)
{
	struct rules_list list = { 0 };
	char name[SESSION_NAME_BYTES];
	const char *at, *file;
	struct stat st;
	size_t n;

	while ((file = rundir_rules_next(&list, dir, ""))) {
		at = strchr(file, PROTOCOL_INHERITANCE);
		if (!at || *file == '.')
			continue;
		n = (size_t)(at++ - file);
		if ((process && strcmp(at, process)) ||
		    (session && (strlen(session) != n ||
				 strncmp(file, session, n))))
			continue;
		if (!session && !process) {
			if (!fstatat(dir->fd, at, &st, AT_SYMLINK_NOFOLLOW) ||
			    errno != ENOENT)
				continue;
			snprintf(name, sizeof(name), "%.*s", (int)n, file);
			if (n < sizeof(name) &&
			    rundir_each(dir, session_lives, name))
				continue;
		}
		unlinkat(dirfd(list.stream), file, 0);
	}
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
	deferred_name(file, name);
	unlinkat(below, file, 0);
	off_name(file, name);
	/* a recorder that is at work holds the lock */
	rundir_take_turn(below);
	if (off_held(below, file) <= 0)
		unlinkat(below, file, 0);
	close(below);
	inheritance_drop(dir, name, NULL);
	return ret;
}

int rundir_each_rules(struct rundir *dir,
		      int (*call)(const char *name, void *priv), void *priv)
{
	struct rules_list list = { 0 };
	const char *name;
	int ret = 0;

	while (!ret && (name = rundir_rules_next(&list, dir, "")))
		if (rundir_valid_name(name))
			ret = call(name, priv);
	rundir_rules_end(&list);
	return ret;
}

int rundir_open_around(struct rundir *dir, const struct rundir_process *process)
{
	struct stat st;

	dir->uid = process->uid;
	snprintf(dir->path, sizeof(dir->path), "%.*s/..", PATH_MAX - 4,
		 process->path);
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

int rundir_inheritance_write(const struct rundir_process *process,
			     const char *session, const char *text,
			     char name[NAME_MAX + 1])
{
	struct rundir dir;
	int ret = rundir_open_around(&dir, process);

	if (ret)
		return ret;
	file_name(name, session, process);
	ret = rules_write(&dir, name, text);
	rundir_close(&dir);
	return ret;
}

int rundir_inheritance_read(const struct rundir_process *process,
			    const char *session, char **text)
{
	char name[NAME_MAX + 1];
	struct rundir dir;
	int ret = rundir_open_around(&dir, process);

	if (ret)
		return ret;
	file_name(name, session, process);
	ret = rules_read(&dir, name, text);
	rundir_close(&dir);
	return ret;
}

void rundir_inheritance_remove(const struct rundir_process *process,
			       const char *session)
{
	struct rundir dir;

	if (rundir_open_around(&dir, process))
		return;
	inheritance_drop(&dir, session, process->name);
	rundir_close(&dir);
}

void rundir_inheritance_sweep(int fd, uid_t uid)
{
	struct rundir dir = { .fd = fd, .uid = uid };

	inheritance_drop(&dir, NULL, NULL);
}
