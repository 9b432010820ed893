/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The runtime directory that the agent of a process chooses. It may not exist,
 * and the process need not have an agent.
 *
 * What must stay true here: this is the choice of control/sessions/place.c, in
 * the process's own environment and root.
 */
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "command/rundir/rundir.h"

/* Copies the value of a variable of a process's environment; "" without. */
static int read_variable(pid_t pid, const char *name, char *value, size_t room)
{
	char path[32], *text = NULL;
	size_t size = 0, n = strlen(name);
	FILE *f;

	value[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (getdelim(&text, &size, '\0', f) > 0)
		if (!strncmp(text, name, n) && text[n] == '=')
			snprintf(value, room, "%s", text + n + 1);
	free(text);
	fclose(f);
	return 0;
}

static bool on_tmpfs(pid_t pid, const char *directory)
{
	char path[PATH_MAX + 32];
	struct statfs fs;

	snprintf(path, sizeof(path), "/proc/%d/root%s", pid, directory);
	return !statfs(path, &fs) && fs.f_type == TMPFS_MAGIC;
}

int rundir_chosen(char path[PATH_MAX], pid_t pid)
{
	char home[PATH_MAX - 16], line[256];
	unsigned int uid, euid = 0;
	FILE *f;
	int ret = read_variable(pid, "TAFFRAIL_DIR", path, PATH_MAX);

	if (ret || *path)
		return ret;
	read_variable(pid, "XDG_RUNTIME_DIR", home, sizeof(home));
	if (*home && on_tmpfs(pid, home)) {
		snprintf(path, PATH_MAX, "%s/taffrail", home);
		return 0;
	}
	snprintf(line, sizeof(line), "/proc/%d/status", pid);
	f = fopen(line, "re");
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Uid: %u %u", &uid, &euid) == 2)
			break;
	fclose(f);
	snprintf(path, PATH_MAX, "%s/taffrail-%u",
		 on_tmpfs(pid, "/dev/shm") ? "/dev/shm" : "/tmp", euid);
	return 0;
}
