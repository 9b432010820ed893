/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Has the agent open the socket for gdb, and gives the socket's path.
 *
 * Invariant: the path that is given can be connected to from here: it fits into
 * a socket's address, and names the agent's socket in this mount namespace.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "command/agents/targets.h"
#include "command/common/command.h"
#include "command/common/inode.h"
#include "command/gdb/gdb.h"
#include "command/sandbox/opener.h"
#include "control/protocol.h"

bool gdb_same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return !opener_stat(a, &sa) && !opener_stat(b, &sb) &&
	       inode_same(&sa, &sb);
}

int gdb_open_socket(char path[GDB_PATH_BYTES], pid_t pid, bool keep)
{
	struct client_request request = { 0 };
	struct client_answer answer = { 0 };
	struct sockaddr_un address;
	struct targets targets;
	struct target *target;
	const char *key, *value;
	size_t position = 0;
	int ret, status = COMMAND_FAILED;

	/* tells why there is no agent, so this says nothing more */
	if (targets_open(&targets, pid))
		goto out;
	target = targets.targets;
	client_request_add(&request, "keep", "%d", keep);
	ret = target_connect(target);
	if (!ret)
		ret = client_call(&target->client, MESSAGE_GDB, &request,
				  &answer);
	client_request_release(&request);
	if (ret) {
		client_answer_release(&answer);
		status = cause_tell(&target->client.cause);
		goto out;
	}
	/* the agent's path, or ours if that names another file here */
	snprintf(path, GDB_PATH_BYTES, "%s/%s", target->process->path,
		 GDB_SOCKET);
	while (client_answer_next(&answer, &position, &key, &value))
		if (!strcmp(key, "path") && gdb_same_file(value, path))
			snprintf(path, GDB_PATH_BYTES, "%s", value);
	client_answer_release(&answer);
	status = COMMAND_DONE;
	if (strlen(path) >= sizeof(address.sun_path))
		status = command_failed("the path of the socket is too long "
					"for gdb: %s", path);
out:
	targets_close(&targets);
	return status;
}
