/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * --allow-group: finds the group, and checks that its members can reach the
 * directory.
 */
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command/common/command.h"

int command_take_group(uint32_t *group, const char *text)
{
	const struct group *entry = getgrnam(text);
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (entry)
		number = entry->gr_gid;
	else if (end == text || *end || number >= UINT32_MAX)
		return command_misused("no such group: %s", text);
	if (!number)
		return command_misused("group 0 always has access: give "
				       "another group");
	*group = (uint32_t)number;
	return COMMAND_DONE;
}

int command_check_reach(const char *path, uint32_t group)
{
	char part[PATH_MAX];
	struct stat st;

	/* from another root, such as a container's, whose groups are not
	 * known */
	if (!group || !strncmp(path, "/proc/", 6))
		return COMMAND_DONE;
	snprintf(part, sizeof(part), "%s", path);
	for (char *p = strchr(part + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (!stat(part, &st) &&
		    !(st.st_mode & (st.st_gid == group ? 010 : 001)))
			return command_failed("the group cannot search %s, "
					      "which has the program's files: "
					      "start the program with "
					      "TAFFRAIL_DIR=/dev/shm/NAME",
					      part);
		*p = '/';
	}
	return COMMAND_DONE;
}
