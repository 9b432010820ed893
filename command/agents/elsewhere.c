/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions in the processes of other users, and sessions of `start --all`. See
 * elsewhere.h.
 *
 * Invariant: root reads a user's directory with this user's rights, so no entry
 * there leads to files of others.
 */
#include "command/agents/elsewhere.h"

#include <fcntl.h>
#include <glob.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "command/common/command.h"
#include "command/common/counted.h"
#include "command/common/inode.h"
#include "command/procfs/threads.h"

#define LIVING_MAX	8	/* named in a message */

/* The processes of a session in a user's place. */
struct found {
	pid_t living[LIVING_MAX];
	size_t count;			/* of living processes */
	bool ended;
};

/* Looks which processes of a runtime directory have the session; of one that
 * cannot be opened there are none. */
static void place_look(struct found *found, const char *path, const char *name)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	struct rundir_list list = { 0 };
	struct session_page page;
	struct rundir dir;

	if (rundir_open_at(&dir, path))
		return;
	if (rundir_collect(&dir, &list))
		list.count = 0;
	for (size_t i = 0; i < list.count; i++) {
		const struct rundir_process *process = &list.processes[i];
		int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);

		while (n > 0 && rundir_find_session(process, images[n - 1],
						    name, &page))
			n--;
		if (n <= 0)
			continue;
		if (!process->alive)
			found->ended = true;
		else if (found->count++ < LIVING_MAX)
			found->living[found->count - 1] = process->pid;
	}
	rundir_list_free(&list);
	rundir_close(&dir);
}

/* Tells which living processes have the session, and that -p reaches them, and
 * how to read the events of ended ones. */
static void found_tell(const struct found *found, const char *name, uid_t uid)
{
	const struct passwd *entry = getpwuid(uid);
	char number[16], pids[LIVING_MAX * 16] = "", text[CAUSE_TEXT_BYTES];
	const char *user = entry ? entry->pw_name : number;
	size_t shown = found->count < LIVING_MAX ? found->count : LIVING_MAX;
	struct cause cause;

	snprintf(number, sizeof(number), "%u", (unsigned int)uid);
	for (size_t i = 0; i < shown; i++)
		sprintf(pids + strlen(pids), "%s%d", i ? ", " : "",
			found->living[i]);
	if (found->count) {
		snprintf(text, sizeof(text),
			 "%s %s%s of user %s %s a session '%s'",
			 agreed(found->count, "process", "processes"), pids,
			 found->count > shown ? ", ..." : "", user,
			 agreed(found->count, "has", "have"), name);
		cause_set(&cause, 0, SESSION_OF_USER, .text = text);
		cause_tell(&cause);
	}
	if (!found->ended)
		return;
	snprintf(text, sizeof(text),
		 "an ended process of user %s has a session '%s': 'setpriv "
		 "--reuid=%s --clear-groups taffrail snapshot %s -o DIR' "
		 "reads it", user, name, user, name);
	cause_set(&cause, 0, SESSION_OF_ENDED, .text = text);
	cause_tell(&cause);
}

/* Looks for the session in living processes whose files are in other places,
 * where TAFFRAIL_DIR has put them: those of the first user that has it. */
static uid_t anywhere_look(struct found *found, const char *name)
{
	struct rundir_process process;
	struct session_page page;
	struct cause cause;
	DIR *list = processes_open();
	uid_t uid = 0;
	pid_t pid;

	while ((pid = threads_next(list))) {
		if (rundir_find(&process, pid, &cause))
			continue;
		if (process.uid && (!uid || process.uid == uid) &&
		    !rundir_find_session(&process, process.image, name,
					 &page)) {
			uid = process.uid;
			if (found->count++ < LIVING_MAX)
				found->living[found->count - 1] = pid;
		}
		rundir_process_close(&process);
	}
	threads_close(list);
	return uid;
}

void others_tell(const char *name)
{
	static const char *const places[] = {
		"/run/user/[0-9]*/taffrail", "/dev/shm/taffrail-[0-9]*",
		"/tmp/taffrail-[0-9]*",
	};
	struct found away = { 0 };
	glob_t found = { 0 };
	bool told = false;
	struct stat st;
	uid_t uid;

	if (geteuid())
		return;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		glob(places[i], i ? GLOB_APPEND : 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct found has = { 0 };

		if (lstat(found.gl_pathv[i], &st) || !st.st_uid ||
		    seteuid(st.st_uid))
			continue;
		place_look(&has, found.gl_pathv[i], name);
		if (seteuid(0))
			break;
		found_tell(&has, name, st.st_uid);
		told |= has.count || has.ended;
	}
	globfree(&found);
	uid = told ? 0 : anywhere_look(&away, name);
	if (uid)
		found_tell(&away, name, uid);
}

/* The list of sessions of `start --all`. */
struct later {
	struct rundir *dir;
	char *names;
	size_t room;
	size_t count;
};

/* Returns true for a session of `start --all`. */
static bool session_for_all(struct rundir *dir, const char *name)
{
	char *text;
	bool all;

	if (rundir_read_rules(dir, name, &text))
		return false;
	all = !strncmp(text, "all=1\n", 6) || strstr(text, "\nall=1\n");
	free(text);
	return all;
}

/* Adds a session of `start --all` to the list. Returns 0: the walk goes on. */
static int name_take(const char *name, void *priv)
{
	struct later *later = priv;
	size_t used = strlen(later->names);

	if (!session_for_all(later->dir, name))
		return 0;
	snprintf(later->names + used, later->room - used, "%s%s",
		 later->count ? ", " : "", name);
	later->count++;
	return 0;
}

size_t later_sessions(struct rundir *dir, char *names, size_t room)
{
	struct later later = { dir, names, room, 0 };

	names[0] = '\0';
	rundir_each_rules(dir, name_take, &later);
	return later.count;
}

size_t later_tell_elsewhere(struct rundir *dir, const struct rundir_list *list,
			    const char *name)
{
	struct process_page head;
	struct session_page page;
	char text[CAUSE_TEXT_BYTES];
	struct stat here, there;
	struct cause cause;
	size_t n = 0;

	if (dir->fd < 0 || !session_for_all(dir, name) ||
	    fstat(dir->fd, &here))
		return 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct rundir_process *process = &list->processes[i];

		/* those whose files are in this directory take part */
		if (!process->alive || rundir_is_shared(process) ||
		    fstatat(process->fd, "..", &there, AT_SYMLINK_NOFOLLOW) ||
		    inode_same(&here, &there) ||
		    rundir_read_process(process, process->image, &head) ||
		    !rundir_find_session(process, process->image, name, &page))
			continue;
		snprintf(text, sizeof(text), "(%s) does not take part in '%s'",
			 head.procname, name);
		cause_set(&cause, 0, SESSION_OUTSIDE, .pid = process->pid,
			  .text = text);
		cause_tell(&cause);
		n++;
	}
	return n;
}
