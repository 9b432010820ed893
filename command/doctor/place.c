/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The runtime directory of a running process: the place of the agent's files,
 * or the place where an agent that is loaded later would make them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "buffers/layout.h"
#include "command/common/inode.h"
#include "command/doctor/private.h"
#include "command/procfs/process.h"
#include "command/sandbox/opener.h"

/*
 * Judges where the agent's files are, in the order in which a session meets the
 * obstacles: the agent must find the files, must be let make more (Landlock, a
 * changed user), and needs room. Before there is an agent, judges the place
 * that one would choose.
 */
void look_place(struct doctor *d, struct finding *f)
{
	const char *is = rundir_shown(&d->process);
	char path[2 * PATH_MAX], root[32];
	struct stat found, named;
	struct statvfs fs;
	bool seen, moved = false;
	const char *why;
	int fd, ret;

	if (!d->page.magic) {
		/* where an agent that is not there yet would make files */
		if (d->gone || d->attach ||
		    (d->found != -ENXIO && d->found != -ECHILD))
			return;
		fd = rundir_chosen_open(d->pid, path, &why);
		if (fd >= 0) {
			found_room(f, fd, path);
			close(fd);
		} else if (why) {
			found(f, PLACE_UNFIT, .pid = d->pid, .path = path,
			      .text = why);
		}
		return;
	}
	d->page.runtime[sizeof(d->page.runtime) - 1] = '\0';
	seen = !fstat(d->process.fd, &found);
	if (d->page.runtime[0] && seen) {
		/* the path by which the agent knows the files */
		snprintf(path, sizeof(path), "/proc/%d/root%s/%s", d->pid,
			 d->page.runtime, d->process.name);
		ret = opener_stat(path, &named);
		moved = ret ? ret == -ENOENT || ret == -ENOTDIR :
			      !inode_same(&found, &named);
	}
	snprintf(root, sizeof(root), "/proc/%d/task/", d->pid);
	/* outside of the root directory, in which rundir_find() looks first */
	if (moved && strncmp(d->process.path, root, strlen(root))) {
		found(f, FILES_ROOT_CHANGED, .path = is);
	} else if (moved) {
		found(f, FILES_MOVED, .path = is, .text = d->page.runtime);
	} else if (d->page.landlock == LANDLOCK_SHUT) {
		cause_set(&d->cause, 0, SESSION_LANDLOCKED, .pid = d->pid);
		found_cause(f, DOCTOR_NO, &d->cause);
	} else if (seen && !rundir_may_write(d->pid, d->process.path, &found)) {
		/* the agent may not make files beside the first ones */
		if (process_euid(d->pid) != (long)found.st_uid)
			cause_set(&d->cause, 0, SESSION_USER_CHANGED,
				  .pid = d->pid);
		else
			cause_set(&d->cause, 0, SESSION_FILES, .pid = d->pid,
				  .path = is, .error = statvfs(d->process.path,
				  &fs) || !(fs.f_flag & ST_RDONLY) ? EACCES :
				  EROFS);
		found_cause(f, DOCTOR_NO, &d->cause);
	} else {
		found_room(f, d->process.fd, is);
		if (!rundir_away(&d->process))
			return;
		f->state = DOCTOR_LIMITED;
		f->id = CAUSE_BUFFERS_AWAY;
		found_remedy(f, "take snapshots while it lives: its buffers go "
			     "with its mount namespace");
	}
}
