/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Has the agent open the socket for gdb, and gives the socket's path.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "command/agents/targets.h"
#include "command/common/command.h"
#include "command/gdb/gdb.h"
#include "command/sandbox/opener.h"
#include "control/protocol.h"

bool gdb_same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return !opener_stat(a, &sa) && !opener_stat(b, &sb) &&
	       sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* Gives the agent's path of the socket, or ours if the agent's path names
 * another file here. */
static void name_socket(char path[GDB_PATH_BYTES], const struct target *target,
			struct client_answer *answer)
{
	const char *key, *value;
	size_t position = 0;

	snprintf(path, GDB_PATH_BYTES, "%s/%s", target->process->path,
		 GDB_SOCKET);
	while (client_answer_next(answer, &position, &key, &value))
		if (!strcmp(key, "path") && gdb_same_file(value, path))
			snprintf(path, GDB_PATH_BYTES, "%s", value);
}

static int ask_agent(char path[GDB_PATH_BYTES], struct target *target,
		     bool keep)
{
	struct client_request request = { 0 };
	struct client_answer answer;
	struct sockaddr_un address;
	int ret = target_connect(target);

	if (!ret) {
		client_request_add(&request, "keep", "%d", keep);
		ret = client_call(&target->client, MESSAGE_GDB, &request,
				  &answer);
		client_request_release(&request);
		if (!ret)
			name_socket(path, target, &answer);
		client_answer_release(&answer);
	}
	if (ret)
		return cause_tell(&target->client.cause);
	if (strlen(path) >= sizeof(address.sun_path))
		return command_failed("the path of the socket is too long for "
				      "gdb: %s", path);
	return COMMAND_DONE;
}

int gdb_open_socket(char path[GDB_PATH_BYTES], pid_t pid, bool keep)
{
	struct targets targets;
	int status = COMMAND_FAILED;

	if (!targets_open(&targets, pid))
		status = ask_agent(path, targets.targets, keep);
	targets_close(&targets);
	return status;
}
