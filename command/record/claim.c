/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names a recording. See claim-private.h.
 */
#include "command/record/claim-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/agents/client.h"
#include "command/common/command.h"
#include "command/common/inode.h"
#include "command/record/options.h"
#include "command/record/shortage.h"

#define NAMES_MAX	1000

/* Of rundir_each_rules(): removes the rules of a recorder that does not run any
 * more. */
static int drop_stale(const char *name, void *priv)
{
	struct rundir *dir = priv;

	if (rundir_recorder_gone(dir, name))
		rundir_remove_rules(dir, name);
	return 0;
}

int claim_open(struct claim *claim)
{
	if (rundir_open(&claim->dir, true))
		return cause_tell(&claim->dir.cause);
	rundir_each_rules(&claim->dir, drop_stale, &claim->dir);
	return COMMAND_DONE;
}

void claim_follow(struct claim *claim, const struct rundir_process *process,
		  struct outcome *outcome)
{
	int fd = openat(process->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct rundir *dir = &claim->dir;
	struct stat first, other;

	/* the user may have mounted the directory of the process elsewhere */
	if (fd >= 0 && (fstat(fd, &other) || other.st_uid != process->uid)) {
		close(fd);
		fd = -1;
		errno = EPERM;
	}
	/* a member of a group that was let in cannot search it */
	if (fd < 0) {
		outcome_tell(outcome, CHILDREN_UNREACHED, .pid = process->pid,
			     .path = process->path, .error = errno);
		return;
	}
	if (dir->fd < 0) {
		dir->fd = fd;
		/* root records another user's process: files of its children
		 * are that user's */
		dir->uid = process->uid;
		snprintf(dir->path, sizeof(dir->path), "%.*s/..", PATH_MAX - 4,
			 rundir_shown(process));
		return;
	}
	if (fstat(dir->fd, &first) || fstat(fd, &other) ||
	    !inode_same(&first, &other))
		outcome_tell(outcome, CHILDREN_ELSEWHERE, .pid = process->pid,
			     .path = process->path);
	close(fd);
}

/* Returns 1 when the process has a session of the recording's name. */
static int has_session(struct rundir_process *process, void *priv)
{
	const struct claim *claim = priv;
	uint32_t images[RUNDIR_IMAGES_MAX];
	struct session_page page;
	int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);
	int found = 0;

	while (n-- > 0 && !found)
		found = !rundir_find_session(process, images[n], claim->name,
					     &page);
	return found;
}

int claim_take(struct claim *claim)
{
	for (int n = 1; n < NAMES_MAX; n++) {
		snprintf(claim->name, sizeof(claim->name),
			 n > 1 ? "record-%d.%d" : "record-%d", getpid(), n);
		if (claim->dir.fd < 0)
			return 0;
		if (rundir_each(&claim->dir, has_session, claim) > 0 ||
		    !rundir_drop_shared(&claim->dir, claim->name, UINT64_MAX))
			continue;
		claim->off = rundir_create_off(&claim->dir, claim->name);
		if (claim->off != -EBUSY)
			return claim->off < 0 ? claim->off : 0;
	}
	return -EBUSY;
}

/* Makes the rings that all processes share, or says why each process makes
 * rings of its own. Returns 0 or a negative errno. */
static int make_shared(struct claim *claim, const struct record_options *o,
		       struct outcome *outcome)
{
	struct rundir_rings rings = {
		.flags = SESSION_CONSUMED |
			 (o->overwrite ? SESSION_OVERWRITE : 0),
		.bytes = o->buffer,
	};
	int ret = rundir_make_shared(&claim->dir, claim->name, &rings);

	claim->shares = ret >= 0;
	/* the claim keeps them */
	if (ret >= 0)
		close(ret);
	/* without --buffers it makes no difference to the user */
	if (claim->dir.cause.id &&
	    (o->buffers == BUFFERS_SHARED || ret != -ENOTSUP))
		outcome_say(outcome, &claim->dir.cause);
	if (ret >= 0 || ret == -ENOTSUP)
		return 0;
	/* a part of them may be there */
	rundir_remove_shared(&claim->dir, claim->name);
	return o->buffers == BUFFERS_SHARED ? ret : 0;
}

int claim_request(struct claim *claim, const struct record_options *o,
		  struct outcome *outcome)
{
	struct client_request request = { 0 };
	char path[PATH_MAX];
	int ret;

	if (!realpath(claim->dir.path, path))
		return cause_report(OUTPUT_UNMADE, .path = claim->dir.path,
				    .error = errno);
	strcpy(claim->dir.path, path);
	ret = claim_take(claim);
	/* without this file, some reasons are not known at the end */
	if (ret != -EBUSY && ret != -ENOSPC && ret != -EDQUOT)
		ret = 0;
	record_request(o, claim->name, &request);
	if (!ret && o->shared)
		ret = make_shared(claim, o, outcome);
	if (!ret)
		ret = request.failed ? request.failed :
		      rundir_write_rules(&claim->dir, claim->name,
					 request.text);
	client_request_release(&request);
	/* last, as the times of sessions/ tell whether a program is known */
	if (!ret && claim->shares)
		deferred_open(&claim->deferred, &claim->dir, claim->name);
	if (ret == -ENOSPC || ret == -EDQUOT) {
		shortage_note_program(o->buffer, -ret, claim->dir.fd,
				      claim->dir.path, outcome);
		outcome_print(outcome, OUTCOME_ALL);
		return COMMAND_FAILED;
	}
	if (!ret)
		return COMMAND_DONE;
	snprintf(path, sizeof(path), "%.*s/" PROTOCOL_SESSIONS_DIR "/%s",
		 PATH_MAX / 2, claim->dir.path, claim->name);
	return cause_report(START_UNWRITTEN, .path = path, .error = ret);
}

void claim_files(struct claim *claim, bool all)
{
	char line[CAUSE_LINE_BYTES];
	struct cause cause;

	while (deferred_poll(&claim->deferred, all, &cause))
		command_warn("it is not known to commands: %s",
			     cause_line(&cause, line));
}

void claim_close(struct claim *claim)
{
	claim_files(claim, true);
	deferred_close(&claim->deferred);
	if (claim->off >= 0)
		close(claim->off);
	if (claim->dir.fd >= 0 && *claim->name) {
		rundir_remove_rules(&claim->dir, claim->name);
		if (!claim->keeps)
			rundir_remove_shared(&claim->dir, claim->name);
	}
	rundir_close(&claim->dir);
}
