/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pages that processes publish in their directories, and the rules for
 * later processes in sessions/.
 *
 * What must stay true here: nothing read from a file is used before it was
 * checked; its writer may be broken, hostile or of another version.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/rundir/private.h"
#include "control/protocol.h"

#define RULES_BYTES_MAX		(256u << 10)
#define OFF_ROOM_BYTES		4096
#define SUB_BYTES_MIN		256u

static int compare_numbers(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* Parses the number of an image, as agents write it. */
static bool parse_image(const char *name, uint32_t *image)
{
	char *end;
	unsigned long value = strtoul(name, &end, 10);

	*image = (uint32_t)value;
	return isdigit((unsigned char)*name) && !*end && value < UINT32_MAX &&
	       (*name != '0' || !name[1]);
}

/* Puts a greater number in the place of the least one. */
static void replace_least(uint32_t *images, int n, uint32_t image)
{
	int least = 0;

	for (int i = 1; i < n; i++)
		if (images[i] < images[least])
			least = i;
	if (n && images[least] < image)
		images[least] = image;
}

int rundir_images(const struct rundir_process *process, uint32_t *images,
		  int room)
{
	DIR *stream = rundir_opendir(process->fd, ".");
	struct dirent *entry;
	uint32_t image;
	int n = 0;

	if (!stream)
		return -errno;
	while ((entry = readdir(stream))) {
		if (!parse_image(entry->d_name, &image))
			continue;
		if (n < room)
			images[n++] = image;
		else
			replace_least(images, n, image);
	}
	closedir(stream);
	if (n)
		qsort(images, n, sizeof(*images), compare_numbers);
	return n;
}

int rundir_open_image(const struct rundir_process *process, uint32_t image)
{
	char name[16];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), "%u", image);
	fd = openat(process->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
		    O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_uid != process->uid) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int rundir_open_file(const struct rundir_process *process, const char *name,
		     int flags)
{
	char directory[NAME_MAX + 1];
	const char *slash = strchr(name, '/');
	struct stat st;
	int fd, below = process->fd;

	if (slash) {
		if ((size_t)(slash - name) >= sizeof(directory) ||
		    strchr(slash + 1, '/'))
			return -EINVAL;
		memcpy(directory, name, slash - name);
		directory[slash - name] = '\0';
		below = openat(process->fd, directory, O_PATH | O_DIRECTORY |
			       O_NOFOLLOW | O_CLOEXEC);
		if (below < 0)
			return -errno;
		name = slash + 1;
	}
	fd = openat(below, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
		    O_NOCTTY);
	if (fd < 0)
		fd = -errno;
	if (slash)
		close(below);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    st.st_uid != process->uid) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

static int read_page(const struct rundir_process *process, const char *name,
		     void *page, size_t bytes)
{
	int fd = rundir_open_file(process, name, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = pread(fd, page, bytes, 0);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return n;
	return (size_t)n == bytes ? 0 : -ENOENT;	/* not written yet */
}

/* A writer stores magic last, so zero means that the page is not complete. */
static int check_head(uint32_t magic, uint32_t want, uint32_t version)
{
	if (!magic)
		return -ENOENT;
	if (magic != want)
		return -EBADMSG;
	return version == LAYOUT_VERSION ? 0 : -EPROTO;
}

int rundir_read_process(const struct rundir_process *process, uint32_t image,
			struct process_page *page)
{
	char name[32];
	int ret;

	snprintf(name, sizeof(name), "%u/process", image);
	ret = read_page(process, name, page, sizeof(*page));
	if (!ret)
		ret = check_head(page->magic, PROCESS_MAGIC, page->version);
	if (ret)
		return ret;
	if (page->image != image || page->sessions > SESSION_FILES_MAX)
		return -EBADMSG;
	page->procname[sizeof(page->procname) - 1] = '\0';
	page->hostname[sizeof(page->hostname) - 1] = '\0';
	page->agent_version[sizeof(page->agent_version) - 1] = '\0';
	return 0;
}

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

int rundir_read_session(const struct rundir_process *process, uint32_t image,
			uint32_t index, struct session_page *page)
{
	char name[48];
	int ret;

	snprintf(name, sizeof(name), "%u/session.%u", image, index);
	ret = read_page(process, name, page, sizeof(*page));
	if (!ret)
		ret = check_head(page->magic, SESSION_MAGIC, page->version);
	if (ret)
		return ret;
	page->name[sizeof(page->name) - 1] = '\0';
	if (page->index != index || !rundir_valid_name(page->name) ||
	    !power_of_two(page->sub_bytes) || !power_of_two(page->ring_bytes) ||
	    page->sub_bytes < SUB_BYTES_MIN ||
	    page->ring_bytes < page->sub_bytes)
		return -EBADMSG;
	return 0;
}

int rundir_find_session(const struct rundir_process *process, uint32_t image,
			const char *name, struct session_page *page)
{
	struct process_page head;
	int ret = rundir_read_process(process, image, &head);

	if (ret)
		return ret;
	for (uint32_t i = head.sessions; i-- > 0;)
		if (!rundir_read_session(process, image, i, page) &&
		    page->state != SESSION_DESTROYED &&
		    !strcmp(page->name, name))
			return 0;
	return -ENOENT;
}

int rundir_note_saved(const struct rundir_process *process, uint32_t image,
		      uint32_t index, uint64_t events)
{
	char name[48];
	int fd, ret = 0;

	snprintf(name, sizeof(name), "%u/session.%u", image, index);
	fd = rundir_open_file(process, name, O_RDWR);
	if (fd < 0)
		return fd;
	if (pwrite(fd, &events, sizeof(events),
		   offsetof(struct session_page, saved)) != sizeof(events))
		ret = -EIO;
	close(fd);
	return ret;
}

/* Gives a new file to the runtime directory's user. Returns 0 or -1. */
static int give(const struct rundir *dir, int fd)
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
	if ((made && give(dir, fd)) || fstat(fd, &st) ||
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
	if (!ret && give(dir, fd))
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
	} else if (give(dir, fd) || flock(fd, LOCK_SH | LOCK_NB)) {
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
	/* a recorder that is at work holds its lock */
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
