/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removes the rest of dead processes: destroyed sessions, and directories with
 * nothing to collect. Commands remove no events here; the limit of dead
 * processes' rings is kept by agents (control/sessions/budget.c).
 *
 * Invariant: a living process loses nothing, and neither does a
 * process that may be alive: it started a moment ago, or it is in another PID
 * namespace (then the socket answers, and rundir_collect() has seen that). Two
 * sweeps at once are harmless: a file that is already gone is no error.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command/runtime/private.h"

/* A process may still be making a directory that is younger than this. */
#define SWEEP_AGE_SECONDS	2

/* A question about a ring, and the flags of its session. */
typedef bool ring_fn(const struct ring *ring, uint32_t session_flags);

/* Returns true when the ring has unread events. */
static bool ring_holds(const struct ring *ring, uint32_t session_flags)
{
	if (!(session_flags & SESSION_CONSUMED))
		return ring->head || ring->lost;
	return RING_POSITION(ring->head) != (uint32_t)ring->tail;
}

/* Returns true when an event was ever written into the ring, or lost. */
static bool ring_counts(const struct ring *ring, uint32_t session_flags)
{
	(void)session_flags;
	return RING_EVENTS(ring->head) || ring->lost;
}

/* Returns true when the answer is true for a ring of the session. */
static bool any_ring(const struct rundir_process *process, uint32_t image,
		     const struct session_page *page, ring_fn *ask)
{
	DIR *stream = rundir_open_rings(process, image);
	struct dirent *entry;
	struct ring ring;
	bool holds = false;

	while (stream && !holds && (entry = readdir(stream)))
		holds = rundir_names_ring(entry->d_name, page->index) &&
			rundir_read_ring(process, image, entry->d_name,
					 &ring) &&
			ask(&ring, page->flags);
	if (stream)
		closedir(stream);
	return holds;
}

int rundir_destroy_session(const struct rundir_process *process,
			   uint32_t image, uint32_t index)
{
	const uint32_t state = SESSION_DESTROYED;
	struct session_page page;
	char name[48];
	struct dirent *entry;
	DIR *stream;
	int fd, ret = 0;

	snprintf(name, sizeof(name), "%u/session.%u", image, index);
	fd = rundir_open_file(process, name, O_RDWR);
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
				any_ring(process, image, &page,
					 ring_holds);
	}
	return left;
}

static bool worth_keeping(const struct rundir_process *process)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);
	struct stat st;
	bool keep;

	keep = n < 0 || fstat(process->fd, &st) ||
	       time(NULL) - st.st_mtime < SWEEP_AGE_SECONDS;
	for (int i = 0; i < n; i++)
		keep |= sweep_sessions(process, images[i]);
	return keep;
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
			    any_ring(process, images[i], &page, ring_counts))
				return false;
			rundir_destroy_session(process, images[i], page.index);
		}
		left |= sweep_sessions(process, images[i]);
	}
	if (left)
		return true;
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
	size_t left = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct rundir_process *process = &list->processes[i];

		if (process->alive || worth_keeping(process))
			continue;
		empty_directory(process->fd, ".", true);
		unlinkat(dir->fd, process->name, AT_REMOVEDIR);
		rundir_process_close(process);
	}
	for (size_t i = 0; i < list->count; i++)
		if (list->processes[i].fd >= 0)
			list->processes[left++] = list->processes[i];
	list->count = left;
	rundir_heirs_sweep(dir->fd, dir->uid);
	rundir_followers_sweep(dir);
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
