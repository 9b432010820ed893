/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removes the rest of dead processes: destroyed sessions, and directories with
 * nothing to collect. Commands remove no events here; the limit of dead
 * processes' rings is kept by agents (control/sessions/budget.c).
 *
 * Invariant: a living process loses nothing, and neither does a process that
 * may be alive: it started a moment ago, or it is in another PID namespace
 * (then the socket answers, and rundir_collect() has seen that). Two sweeps at
 * once are harmless: a file that is already gone is no error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command/runtime/private.h"

int rundir_destroy_session(const struct rundir_process *process,
			   uint32_t image, uint32_t index)
{
	const uint32_t state = SESSION_DESTROYED;
	struct session_page page;
	char name[48];
	struct dirent *entry;
	DIR *stream;
	int fd, ret = 0;

	fd = rundir_open_file(process, image, O_RDWR, "session.%u", index);
	if (fd < 0)
		return fd;
	if (!rundir_read_session(process, image, index, &page) &&
	    page.state != SESSION_DESTROYED)
		rundir_tell_followers(process, image, &page);
	/* first, so no command starts to collect half of the session */
	if (pwrite(fd, &state, sizeof(state),
		   offsetof(struct session_page, state)) != sizeof(state))
		ret = -EIO;
	close(fd);
	stream = rundir_open_rings(process, image);
	if (!stream)
		return -errno;
	while ((entry = readdir(stream)))
		if (rundir_names_ring(entry->d_name, index) &&
		    unlinkat(dirfd(stream), entry->d_name, 0) &&
		    errno != ENOENT && !ret)
			ret = -errno;
	snprintf(name, sizeof(name), "session.%u", index);
	if (!ret && unlinkat(dirfd(stream), name, 0) && errno != ENOENT)
		ret = -errno;
	closedir(stream);
	return ret;
}

/*
 * Removes destroyed sessions of a dead process. Returns true when events or
 * lost counts are left, or a file that this command does not understand.
 */
static bool sweep_sessions(const struct rundir_process *process,
			   uint32_t image)
{
	struct process_page head;
	struct session_page page;
	bool left = false;
	int ret = rundir_read_process(process, image, &head);

	if (ret)
		return ret != -ENOENT;
	for (uint32_t i = 0; i < head.sessions; i++) {
		ret = rundir_read_session(process, image, i, &page);
		if (ret == -ENOENT)
			continue;
		if (ret)
			left = true;
		else if (page.state == SESSION_DESTROYED)
			rundir_destroy_session(process, image, i);
		else
			left |= page.lost_unplaced ||
				rundir_any_ring(process, image, &page, false);
	}
	return left;
}

/* Unlinks the files of a directory, and with `deeper` its directories. */
static void empty_directory(int fd, const char *name, bool deeper)
{
	DIR *stream = rundir_opendir(fd, name);
	struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (!unlinkat(dirfd(stream), entry->d_name, 0) || !deeper)
			continue;
		empty_directory(dirfd(stream), entry->d_name, false);
		unlinkat(dirfd(stream), entry->d_name, AT_REMOVEDIR);
	}
	if (stream)
		closedir(stream);
}

/* Removes what a program has left that another one has replaced. That one may
 * get an agent at any moment, so only the earlier one's files go; an agent that
 * finds its directory gone makes it again. */
static void drop_replaced(const struct rundir_process *process)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	int n = rundir_images(process, images, RUNDIR_IMAGES_MAX), fd;
	struct rundir_process image = *process;
	char name[16];

	while (n-- > 0) {
		image.image = images[n];
		fd = rundir_unlocked(&image) ?
			     rundir_open_image(process, images[n]) : -1;
		if (fd < 0)
			return;
		unlinkat(fd, "process", 0);
		close(fd);
		snprintf(name, sizeof(name), "%u", images[n]);
		unlinkat(process->fd, name, AT_REMOVEDIR);
	}
	fd = rundir_connect(process, "control.sock");
	if (fd == -ECONNREFUSED)
		unlinkat(process->fd, "control.sock", 0);
	if (fd >= 0)
		close(fd);
}

bool rundir_drop_begun(const struct rundir_process *process, const char *name)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);
	struct session_page page;
	bool left = n < 0;
	int parent;

	for (int i = 0; i < n; i++) {
		if (!rundir_find_session(process, images[i], name, &page)) {
			if (page.lost_unplaced ||
			    rundir_any_ring(process, images[i], &page,
					    true))
				return false;
			rundir_destroy_session(process, images[i], page.index);
		}
		left |= sweep_sessions(process, images[i]);
	}
	if (left)
		return true;
	if (process->replaced)
		drop_replaced(process);
	else
		empty_directory(process->fd, ".", true);
	/* the path may lead through /proc, where the process is gone */
	parent = openat(process->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (parent >= 0) {
		unlinkat(parent, process->name, AT_REMOVEDIR);
		close(parent);
	}
	return true;
}

/* Sweeps the directories of the list; removes swept ones from the list. */
static void sweep_list(struct rundir *dir, struct rundir_list *list)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	struct stat st;
	size_t left = 0;
	bool keep;
	int n;

	for (size_t i = 0; i < list->count; i++) {
		struct rundir_process *process = &list->processes[i];

		keep = process->alive;
		if (!keep) {
			n = rundir_images(process, images, RUNDIR_IMAGES_MAX);
			keep = n < 0 || fstat(process->fd, &st) ||
			       time(NULL) - st.st_mtime < SWEEP_AGE_SECONDS;
			for (int k = 0; k < n; k++)
				keep |= sweep_sessions(process, images[k]);
		}
		if (keep) {
			list->processes[left++] = *process;
			continue;
		}
		empty_directory(process->fd, ".", true);
		unlinkat(dir->fd, process->name, AT_REMOVEDIR);
		rundir_process_close(process);
	}
	list->count = left;
	rundir_inheritance_sweep(dir->fd, dir->uid);
	rundir_followers_sweep(dir);
	rundir_sweep_shared(dir);
}

int rundir_scan(struct rundir *dir, struct rundir_list *list)
{
	int ret = rundir_collect(dir, list);

	if (!ret)
		sweep_list(dir, list);
	return ret;
}

void rundir_sweep(struct rundir *dir)
{
	struct rundir_list list;

	if (rundir_collect(dir, &list))
		return;
	sweep_list(dir, &list);
	rundir_list_free(&list);
}
