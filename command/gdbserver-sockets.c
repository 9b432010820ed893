/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail gdbserver: the agents' sockets (agent/ipa-socket.c) of processes
 * that gdbserver does not debug any more. The agent takes its own away when the
 * program exits; nobody in there can when it is killed or detached from.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/ipa-abi.h"
#include "command/gdbserver.h"
#include "command/process-markers.h"

static bool is_debugged(const struct gdbserver *server, pid_t pid)
{
	return process_status(pid, "TracerPid") == server->pid;
}

static void take_away(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), IPA_SOCKET "%d", pid);
	if (!lstat(path, &st) && S_ISSOCK(st.st_mode))
		unlink(path);
}

pid_t gdbserver_process(const struct gdbserver *server,
			const struct filter_thread *thread)
{
	long pid = thread->pid;

	if (!pid)
		pid = process_status(thread->tid, "Tgid");
	return pid > 0 && is_debugged(server, pid) ? pid : 0;
}

static void remember(struct gdbserver *server, pid_t pid)
{
	for (int i = 0; i < server->nprocesses; i++)
		if (server->processes[i] == pid)
			return;
	if (server->nprocesses == GDBSERVER_PROCESSES)
		gdbserver_sockets_check(server);
	if (server->nprocesses < GDBSERVER_PROCESSES)
		server->processes[server->nprocesses++] = pid;
}

void gdbserver_sockets_check(struct gdbserver *server)
{
	int kept = 0;

	for (int i = 0; i < server->nprocesses; i++) {
		pid_t pid = server->processes[i];

		if (is_debugged(server, pid))
			server->processes[kept++] = pid;
		else
			take_away(pid);
	}
	server->nprocesses = kept;
}

void gdbserver_sockets_follow(struct gdbserver *server)
{
	struct filter_thread *now = &server->filter.thread;
	struct filter_thread *last = &server->thread;
	pid_t pid;

	if (now->pid != last->pid || (!now->pid && now->tid != last->tid)) {
		*last = *now;
		pid = gdbserver_process(server, now);
		if (pid)
			remember(server, pid);
	}
	if (server->filter.ended) {
		server->filter.ended = 0;
		gdbserver_sockets_check(server);
	}
}
