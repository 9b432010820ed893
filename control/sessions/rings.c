/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Joins the rings that the processes of a session share (docs/shared.md). A
 * command makes those of its sessions; those of TAFFRAIL_SESSION, which has no
 * command, are made by the first process.
 *
 * Invariant: a directory 0/ gets its name when it is complete, and never
 * replaces another one, so of several processes that make it at the same time
 * all join the same.
 */
#include <errno.h>
#include <fcntl.h>

#include "base/file.h"
#include "base/sys.h"
#include "control/sessions/place.h"
#include "control/sessions/private.h"
#include "control/sessions/quota.h"
#include "control/threads/log.h"

#define MAKE_TRIES	4	/* commands may remove it, others make it */

/* Adds the path of sessions/.shared.NAME. */
static void shared_path(struct text *text, const struct session *session)
{
	text_add(text, place_runtime);
	text_add(text, "/" PROTOCOL_SESSIONS_DIR "/" PROTOCOL_SHARED_PREFIX);
	text_add(text, session->name);
}

static void file_unlink(int fd, const char *name, void *arg)
{
	sys3(SYS_unlinkat, fd, name, 0);
}

/* Makes the files in the directory `made`, smaller rings where there is little
 * room. Returns 0 or a negative errno. */
static int files_make(const struct session *session, struct shared *shared,
		      const char *made)
{
	const uint32_t asked = channel_ring_bytes(session->buffer, agent_cpus);
	static struct process_page page;
	uint32_t bytes = asked;
	int ret, error = 0;
	bool late;
	const struct process_page *own;

	for (;;) {
		ret = quota_share(
			session->name,
			SHARED_BESIDE_BYTES +
				(uint64_t)agent_cpus *
					(RING_DATA_OFFSET + (uint64_t)bytes),
			&late);
		if ((ret != -ENOSPC && ret != -EDQUOT) ||
		    bytes == RING_LEAST_BYTES)
			break;
		error = -ret;
		bytes /= 2;
	}
	if (!ret)
		ret = file_make_directory(AT_FDCWD, made);
	if (ret)
		return ret;
	/* host and clock as in this process's page, under another UUID */
	own = process.page;
	page.magic = PROCESS_MAGIC;
	page.version = own->version;
	page.pid = own->pid;
	page.state = PROCESS_RUNNING;
	page.clock_kind = own->clock_kind;
	page.clock_hz = own->clock_hz;
	page.sessions = 1;
	page.start = own->start;
	__builtin_memcpy(page.boot_id, own->boot_id, sizeof(page.boot_id));
	__builtin_memcpy(page.uuid, own->uuid, sizeof(page.uuid));
	/* the process's own trace has the other one */
	page.uuid[0] ^= 0xff;
	text_copy(page.procname, sizeof(page.procname), "(shared)");
	text_copy(page.hostname, sizeof(page.hostname), own->hostname);
	text_copy(page.agent_version, sizeof(page.agent_version),
		  own->agent_version);
	ret = shared_make(shared, made, &page, session->name, session->flags,
			  bytes, agent_cpus, late);
	if (ret)
		return ret;
	shared->types->asked_bytes = asked;
	shared->types->small_error = error;
	ret = record_share_writer(shared);
	shared_leave(shared);
	return ret;
}

/* Makes sessions/.shared.NAME/0, under another name first. Returns 0, also
 * where another process was faster, or a negative errno. */
static int rings_make(const struct session *session, struct shared *shared)
{
	char path[320], made[320];
	struct text text;
	int fd, ret;

	text_open(&text, path, sizeof(path));
	text_add(&text, place_runtime);
	text_add(&text, "/" PROTOCOL_SESSIONS_DIR);
	file_make_directory(AT_FDCWD, path);
	text_open(&text, path, sizeof(path));
	shared_path(&text, session);
	file_make_directory(AT_FDCWD, path);
	text_open(&text, made, sizeof(made));
	text_add(&text, path);
	text_add_char(&text, '/');
	text_add_unsigned(&text, process.page->pid);
	text_add(&text, ".new");
	if (text.cut)
		return -ENAMETOOLONG;
	ret = files_make(session, shared, made);
	text_open(&text, path, sizeof(path));
	shared_path(&text, session);
	text_add(&text, "/0");
	if (!ret)
		ret = (int)sys2(SYS_rename, made, path);
	if (!ret)
		return 0;
	fd = file_open_directory(AT_FDCWD, made);
	if (fd >= 0) {
		entries_each(fd, file_unlink, NULL);
		sys_close(fd);
	}
	sys1(SYS_rmdir, made);
	return ret == -EEXIST || ret == -ENOTEMPTY ? 0 : ret;
}

uint32_t session_rings_join(struct session *session)
{
	struct shared *shared = &session->channel->shared;
	const uint32_t plain = session->flags & ~SESSION_SHARED;
	int ret = -ENOTSUP, tries = MAKE_TRIES;
	char path[320];
	struct text text;

	if (!(session->flags & SESSION_SHARED))
		return plain;
	text_open(&text, path, sizeof(path));
	shared_path(&text, session);
	text_add(&text, "/0");
	if (agent_cpus)
		ret = text.cut ? -ENAMETOOLONG : shared_join(shared, path);
	while (session->makes && ret == -ENOENT && tries--) {
		ret = rings_make(session, shared);
		/* a command has removed the directory above */
		if (!ret || ret == -ENOENT)
			ret = shared_join(shared, path);
	}
	/* those that a command's session of that name has left */
	if (!ret && session->makes && (shared->types->flags ^ plain) &
					      SESSION_OVERWRITE) {
		shared_leave(shared);
		ret = -EEXIST;
	}
	if (!ret && session->makes)
		shared->types->state = SESSION_ACTIVE;
	if (!ret)
		return session->flags;
	log_fact(LOG_WARNING, "session", "the process makes rings", ret);
	return plain;
}
