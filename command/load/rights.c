/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether a program wants libraries to be loaded. The kernel decides about the
 * user's right, as for `taffrail attach`.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/common/command.h"
#include "command/load/libraries.h"
#include "command/procfs/process.h"

/* Copies the value of a variable of the process's first environment. Returns
 * false when it has none. */
static bool read_variable(pid_t pid, const char *name, char *value, size_t room)
{
	size_t n = strlen(name);
	char path[32];
	char *text = NULL;
	size_t size = 0;
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	f = fopen(path, "re");
	while (f && !found && getdelim(&text, &size, '\0', f) > 0) {
		if (strncmp(text, name, n) || text[n] != '=')
			continue;
		snprintf(value, room, "%s", text + n + 1);
		found = true;
	}
	if (f)
		fclose(f);
	free(text);
	return found;
}

bool load_has_file(pid_t pid, const char *text)
{
	char path[32], *line = NULL;
	bool found = false;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	while (maps && !found && getline(&line, &size, maps) > 0)
		found = strstr(line, text);
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

int load_check_process(pid_t pid)
{
	char value[16] = "";

	read_variable(pid, "TAFFRAIL_LOAD", value, sizeof(value));
	if (!strcmp(value, "on"))
		return COMMAND_DONE;
	if (*value)
		return command_failed("process %d allows no libraries: "
				      "TAFFRAIL_LOAD is '%s' in its "
				      "environment", pid, value);
	if (process_status(pid, "NoNewPrivs") == 1)
		return command_failed("process %d is in a sandbox "
				      "(no_new_privs): start it with "
				      "TAFFRAIL_LOAD=on to allow libraries", pid);
	return COMMAND_DONE;
}
