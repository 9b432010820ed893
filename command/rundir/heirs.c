/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files of sessions/ for the programs that a process executes: see
 * control/sessions/inheritance.c, which obeys them.
 *
 * What must stay true: a file goes when its session does, or when neither its
 * process has left a directory nor a living process has the session. It is
 * found below the directory of the process that it is for, whose user owns it:
 * root writes into no other user's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/rundir/private.h"
#include "control/protocol.h"

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

static bool is_of(const char *name, const char *of, const void *process)
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
		rundir_heirs_each(&dir, is_of, process->name);
	}
	rundir_close(&dir);
}

/* Returns 1 when a living process has the session. */
static int lives(struct rundir_process *process, void *session)
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
	return !rundir_each(&dir, lives, session);
}

void rundir_heirs_sweep(int fd, uid_t uid)
{
	const struct rundir dir = { .fd = fd, .uid = uid };

	rundir_heirs_each(&dir, is_stale, &dir);
}
