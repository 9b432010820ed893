/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions in the processes of other users. See others.h.
 *
 * What must stay true: root reads a user's directory with this user's rights,
 * so what the user has put there leads nowhere else.
 */
#include "command/processes/others.h"

#include <glob.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "command/common/command.h"
#include "command/rundir/rundir.h"

static bool process_has(const struct rundir_process *process, const char *name)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);
	struct session_page page;

	while (n-- > 0)
		if (!rundir_find_session(process, images[n], name, &page))
			return true;
	return false;
}

static bool place_has(const char *path, const char *name)
{
	struct rundir_list list;
	struct rundir dir;
	bool has = false;

	if (rundir_open_at(&dir, path))
		return false;
	if (!rundir_collect(&dir, &list)) {
		for (size_t i = 0; i < list.count; i++)
			has |= process_has(&list.processes[i], name);
		rundir_list_free(&list);
	}
	rundir_close(&dir);
	return has;
}

static void tell(const char *name, uid_t uid)
{
	const struct passwd *user = getpwuid(uid);
	char number[16];

	snprintf(number, sizeof(number), "%u", (unsigned int)uid);
	command_warn("a process of user %s has a session '%s': 'setpriv "
		     "--reuid=%s --clear-groups taffrail snapshot %s -o DIR' "
		     "reads it", user ? user->pw_name : number, name,
		     user ? user->pw_name : number, name);
}

void others_tell(const char *name)
{
	static const char *const places[] = {
		"/run/user/[0-9]*/taffrail", "/dev/shm/taffrail-[0-9]*",
		"/tmp/taffrail-[0-9]*",
	};
	glob_t found = { 0 };
	struct stat st;

	if (geteuid())
		return;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		glob(places[i], i ? GLOB_APPEND : 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		bool has;

		if (lstat(found.gl_pathv[i], &st) || !st.st_uid ||
		    seteuid(st.st_uid))
			continue;
		has = place_has(found.gl_pathv[i], name);
		if (seteuid(0))
			break;
		if (has)
			tell(name, st.st_uid);
	}
	globfree(&found);
}
