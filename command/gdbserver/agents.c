/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail gdbserver: messages to agents. The command tells an agent that
 * gdbserver is about to attach, and again that it has detached. A killed
 * process leaves a socket (gdbstub/ipa/socket.c), which the command removes.
 *
 * Invariant: each process that gdbserver debugs is in the list before gdbserver
 * can let it go, so an agent that was told "on" is told "off".
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/agents/client.h"
#include "command/common/command.h"
#include "command/gdbserver/gdbserver.h"
#include "command/procfs/process.h"
#include "gdbstub/ipa/abi.h"
#include "tracepoints/lttng/older.h"

#define AGENT_TIMEOUT_MS	2000

/* Returns true when gdbserver traces the process now. */
static bool is_debugged(const struct gdbserver *server, pid_t pid)
{
	return process_status(pid, "TracerPid") == server->pid;
}

/* Tells an agent that gdbserver comes or goes. Returns 0, or a negative errno
 * and the cause. gdb waits meanwhile, so not long for a busy agent. */
static int agent_tell(pid_t pid, bool on, struct cause *cause)
{
	struct client_request request = { 0 };
	struct rundir_process found;
	struct client client;
	int ret = rundir_find(&found, pid, cause);

	if (ret)
		return ret;
	client_request_add(&request, "on", "%d", on);
	ret = client_connect(&client, &found);
	client.timeout_ms = AGENT_TIMEOUT_MS;
	if (!ret)
		ret = client_call(&client, MESSAGE_GDBSERVER, &request, NULL);
	if (ret)
		*cause = client.cause;
	client_close(&client);
	client_request_release(&request);
	rundir_process_close(&found);
	return ret;
}

/*
 * An agent of gdb's own needs no word of ours. A process without any can be
 * debugged, so this only warns; one that has ended is told of by gdbserver.
 */
void gdbserver_attach(void *arg, uint64_t number)
{
	char line[CAUSE_LINE_BYTES];
	pid_t pid = (pid_t)number;
	struct cause cause;

	if (process_status(pid, "Pid") < 0 || !agent_tell(pid, true, &cause))
		return;
	if (process_maps_file(pid, "libinproctrace.so"))
		return;
	/* a map without any file could not be read */
	if (process_maps_file(pid, "libtaffrail.so") ||
	    !process_maps_beginning(pid, ""))
		command_warn("no static tracepoints: %s",
			     cause_line(&cause, line));
	else
		command_warn("process %d has no agent: its markers can be "
			     "listed, not traced; start it with "
			     "LD_PRELOAD=libtaffrail.so", pid);
}

/* gdb may name the thread alone: /proc tells the process. */
pid_t gdbserver_process(const struct gdbserver *server,
			const struct filter_thread *thread)
{
	long pid = thread->pid;

	if (!pid)
		pid = process_status(thread->tid, "Tgid");
	return pid > 0 && is_debugged(server, pid) ? pid : 0;
}

/* A provider needs LTTng's library, and mostly brings it. */
bool gdbserver_has_lttng(pid_t pid)
{
	return process_maps_beginning(pid, UST_LIBRARY) ||
	       process_maps_beginning(pid, OLDER_LIBRARY);
}

const char *gdbserver_unserved(void *arg, const struct filter_thread *thread,
			       const struct filter_marker *marker)
{
	static char line[CAUSE_LINE_BYTES];
	struct gdbserver *server = arg;
	pid_t pid = gdbserver_process(server, thread);
	struct cause cause;

	cause_set(&cause, 0, GDBSERVER_LTTNG, .pid = pid,
		  .subject = marker->id);
	if (pid != server->lttng)
		cause_tell(&cause);
	server->lttng = pid;
	return cause_line(&cause, line);
}

/* A full list may hold processes that have ended. */
void gdbserver_remember(struct gdbserver *server, pid_t pid)
{
	for (int i = 0; i < server->nprocesses; i++)
		if (server->processes[i] == pid)
			return;
	if (server->nprocesses == GDBSERVER_PROCESSES)
		gdbserver_agents_check(server);
	if (server->nprocesses < GDBSERVER_PROCESSES)
		server->processes[server->nprocesses++] = pid;
}

int gdbserver_idle(void *arg)
{
	const struct gdbserver *server = arg;

	for (int i = 0; i < server->nprocesses; i++)
		if (is_debugged(server, server->processes[i]))
			return 0;
	return 1;
}

void gdbserver_agents_check(struct gdbserver *server)
{
	struct cause cause;
	char path[64];
	struct stat st;
	int kept = 0;

	for (int i = 0; i < server->nprocesses; i++) {
		pid_t pid = server->processes[i];

		if (is_debugged(server, pid)) {
			server->processes[kept++] = pid;
			continue;
		}
		/* another debugger needs the agent as it is */
		if (process_status(pid, "TracerPid") == 0)
			agent_tell(pid, false, &cause);
		snprintf(path, sizeof(path), IPA_SOCKET "%d", pid);
		if (!lstat(path, &st) && S_ISSOCK(st.st_mode))
			unlink(path);
	}
	server->nprocesses = kept;
}

/* gdb names the thread before it works on one, so a new process is seen by the
 * packets; `ended` says that the list may have an old one. */
void gdbserver_agents_follow(struct gdbserver *server)
{
	struct filter_thread *now = &server->filter.thread;
	struct filter_thread *last = &server->thread;
	pid_t pid;

	if (now->pid != last->pid || (!now->pid && now->tid != last->tid)) {
		*last = *now;
		pid = gdbserver_process(server, now);
		if (pid)
			gdbserver_remember(server, pid);
	}
	if (server->filter.ended) {
		server->filter.ended = 0;
		gdbserver_agents_check(server);
	}
}
