/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Entries of the runtime directory: how they are named, opened, listed and
 * locked (flock).
 *
 * Invariant: no symlink is followed. A stopped command may hold a lock as long
 * as it likes, so no command waits for a lock without end.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "command/common/monotonic.h"
#include "command/runtime/private.h"
#include "control/protocol.h"

#define TURN_MS		2000
#define PAUSE_NS	1000000

void rundir_process_close(struct rundir_process *process)
{
	if (process->fd >= 0)
		close(process->fd);
	process->fd = -1;
}

bool rundir_is_shared(const struct rundir_process *of)
{
	return text_after(of->name, PROTOCOL_SHARED_PREFIX);
}

bool rundir_parse_name(const char *name, pid_t *pid, uint64_t *starttime)
{
	char again[sizeof(((struct rundir_process *)0)->name)];
	unsigned long long start;
	int id;

	if (sscanf(name, "%d.%llu", &id, &start) != 2 || id <= 0)
		return false;
	snprintf(again, sizeof(again), "%d.%llu", id, start);
	*pid = id;
	*starttime = start;
	return !strcmp(again, name);
}

int rundir_append(struct rundir_list *list, const struct rundir_process *p)
{
	struct rundir_process *more;

	more = reallocarray(list->processes, list->count + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	list->processes = more;
	more[list->count++] = *p;
	return 0;
}

void rundir_list_free(struct rundir_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		rundir_process_close(&list->processes[i]);
	free(list->processes);
	list->processes = NULL;
	list->count = 0;
}

DIR *rundir_opendir(int fd, const char *name)
{
	struct stat above;
	DIR *stream;
	int dir = fstat(fd, &above) ? -1 :
				      rundir_open_owned(fd, name, above.st_uid);

	if (dir < 0)
		return NULL;
	stream = fdopendir(dir);
	if (!stream)
		close(dir);
	return stream;
}

int rundir_open_owned(int at, const char *name, uid_t uid)
{
	struct stat st;
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
			O_CLOEXEC);

	if (fd < 0 || (!fstat(fd, &st) && st.st_uid == uid))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

int rundir_open_own(int at, const char *name, int flags, uid_t uid)
{
	struct stat st;
	int fd = openat(at, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
			O_NOCTTY);

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == uid)
		return fd;
	close(fd);
	return -EPERM;
}

bool rundir_valid_name(const char *name)
{
	size_t n = strspn(name, PROTOCOL_NAME_LETTERS);

	return n && n < SESSION_NAME_BYTES && !name[n] && name[0] != '.';
}

void rundir_take_turn(int fd)
{
	static const struct timespec pause = { .tv_nsec = PAUSE_NS };
	/* a wait of this command has timed out: it waits no more */
	static bool waited;
	int64_t end = monotonic_ms() + TURN_MS;

	while (flock(fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return;
		if (waited || monotonic_ms() >= end) {
			waited = true;
			return;
		}
		nanosleep(&pause, NULL);
	}
	waited = false;
}
