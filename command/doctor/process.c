/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The subjects of a running process. Everything is read from outside: no thread
 * is made or stopped in it.
 *
 * Invariant: d->page.magic is set exactly if an agent of this version is at
 * work in the process; the checks after look_agent() rely on it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/tunables.h"
#include "command/attach/attach.h"
#include "command/common/command.h"
#include "command/doctor/private.h"
#include "command/elf/process-markers.h"
#include "command/gdbserver/gdbserver.h"
#include "command/procfs/process.h"
#include "command/sandbox/opener.h"
#include "command/symboliser/symboliser.h"
#include "control/protocol.h"

#define LISTEN_TRIES	10
#define LISTEN_PAUSE_NS	10000000

/* Finds the process and the agent's files; the result is for all later checks.
 * "no" only if there is no such process. */
void look_process(struct doctor *d, struct finding *f)
{
	char path[64], name[64], program[PATH_MAX];
	ssize_t n;

	d->found = rundir_find(&d->process, d->pid, &d->cause);
	d->gone = d->found == -ESRCH || d->found == -ENOSYS;
	if (d->gone) {
		found_cause(f, DOCTOR_NO, &d->cause);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%d/comm", d->pid);
	first_line(name, sizeof(name), path);
	snprintf(path, sizeof(path), "/proc/%d/exe", d->pid);
	n = readlink(path, program, sizeof(program) - 1);
	program[n > 0 ? n : 0] = '\0';
	found_as(f, DOCTOR_OK, "%d %s, of uid %ld%s%s", d->pid, name,
		 process_status(d->pid, "Uid"), *program ? ", " : "", program);
}

/* Returns true for a process that has no agent at work, and may get one: there
 * is none in it, or one that is asleep. */
static bool may_get_agent(const struct doctor *d)
{
	return d->found == -ENXIO || d->found == -ECHILD;
}

/*
 * Returns true when a command cannot call the agent, and fills the cause that
 * the command would tell, in the order in which a command meets them. An agent
 * can be called when a service thread is there, or is offered; one that is just
 * leaving has done neither for a moment.
 */
static bool agent_uncallable(struct doctor *d)
{
	const struct timespec pause = { .tv_nsec = LISTEN_PAUSE_NS };
	bool listens = false;
	pid_t pid = d->pid;
	int fd;

	if (d->page.protocol && d->page.protocol != PROTOCOL_VERSION) {
		cause_set(&d->cause, 0, AGENT_VERSION, .pid = pid,
			  .n = d->page.protocol);
		return true;
	}
	if (d->page.wake.state != WAKE_NONE &&
	    process_children_away(pid, "pid")) {
		cause_set(&d->cause, 0, SERVICE_NAMESPACE, .pid = pid,
			  .text = "PID");
		return true;
	}
	for (int i = 0; !listens && i < LISTEN_TRIES; i++) {
		if (i)
			nanosleep(&pause, NULL);
		if (rundir_read_process(&d->process, d->process.image,
					&d->page))
			break;
		listens = d->page.wake.state != WAKE_NONE;
		if (listens)
			break;
		fd = rundir_connect(&d->process, "control.sock");
		listens = fd >= 0;
		if (listens)
			close(fd);
	}
	if (!listens) {
		d->deaf = true;
		/* the page tells why the thread could not be made */
		if (process_status(pid, "Seccomp") > 0)
			cause_set(&d->cause, 0, SERVICE_FILTERED, .pid = pid);
		else if (d->page.wake.error == ENOSYS)
			cause_set(&d->cause, 0, THREAD_DISPATCHED, .pid = pid);
		else if (d->page.wake.error == ENOTSUP)
			cause_set(&d->cause, 0, AGENT_SERVICE_OFF, .pid = pid);
		else
			cause_set(&d->cause, 0, AGENT_DEAF, .pid = pid);
	} else if (process_stopped_why(pid, &d->cause)) {
		return true;
	} else if (attach_deadline_alone(pid)) {
		cause_set(&d->cause, 0, THREAD_DEADLINE, .pid = pid);
	} else {
		return false;
	}
	return true;
}

/* Writes the value of TAFFRAIL_QUOTA in the environment with which a process
 * began. Returns true if it is no number of bytes; false, too, if the
 * environment cannot be read. */
static bool quota_unread(pid_t pid, char *text, size_t room)
{
	static const char name[] = "TAFFRAIL_QUOTA=";
	FILE *file = process_stream(pid, 0, "environ");
	char *line = NULL;
	size_t size = 0;
	uint64_t bytes;
	bool unread = false;

	while (file && !unread && getdelim(&line, &size, '\0', file) > 0) {
		const char *value = line + strlen(name);

		unread = !strncmp(line, name, strlen(name)) && *value &&
			 command_parse_bytes(&bytes, value);
		if (unread)
			snprintf(text, room, "%s", value);
	}
	free(line);
	if (file)
		fclose(file);
	return unread;
}

/*
 * "limited" for a process without an agent, which may get one; "no" for an
 * agent that a command could not call. In the order in which a command meets
 * the obstacles: the files, the page, the call. A build that is not ours makes
 * an "ok" a "limited".
 */
void look_agent(struct doctor *d, struct finding *f)
{
	struct symboliser_module module;
	struct opener_file file;
	const char *how;
	char program[32], text[64];
	int ret, opened;

	if (d->gone)
		return;
	if (d->found && !may_get_agent(d)) {
		found_cause(f, DOCTOR_NO, &d->cause);
		return;
	}
	if (d->found && quota_unread(d->pid, text, sizeof(text))) {
		found(f, QUOTA_UNREAD, .text = text);
		return;
	}
	if (d->found) {
		found_cause(f, DOCTOR_LIMITED, &d->cause);
		/* the next check says whether one can be loaded */
		if (d->cause.id == CAUSE_AGENT_NONE)
			f->remedy[0] = '\0';
		d->attach = attach_check(d->pid, &d->cause);
		if (!d->attach)
			found_remedy(f, "taffrail attach %d; record -p and gdb "
				     "-p do it by themselves", d->pid);
		return;
	}
	ret = rundir_read_process(&d->process, d->process.image, &d->page);
	if (ret == -EPROTO) {
		cause_set(&d->cause, 0, AGENT_LAYOUT, .pid = d->pid,
			  .n = rundir_foreign(&d->process, NULL));
		found_cause(f, DOCTOR_NO, &d->cause);
	} else if (ret) {
		found(f, PAGE_UNREAD, .pid = d->pid, .error = ret);
	} else if (agent_uncallable(d)) {
		found_cause(f, DOCTOR_NO, &d->cause);
	} else {
		/* the program's file tells how the agent came into it */
		snprintf(program, sizeof(program), "/proc/%d/exe", d->pid);
		opened = opener_open(&file, program, 0);
		if (opened == -ETIMEDOUT) {
			how = "the program's file does not answer";
		} else if (opened) {
			how = process_closed(d->pid);
		} else {
			symboliser_read_open(&module, &file);
			opener_close(&file);
			how = !process_maps_beginning(d->pid,
						      "libtaffrail.so") ?
				      "linked as libtaffrail.a" :
			      symboliser_needs(&module, "libtaffrail.so") ?
				      "linked" : "loaded";
		}
		found_as(f, DOCTOR_OK, "at work, %s, version %s, in %s", how,
			 d->page.agent_version, rundir_shown(&d->process));
		found_build(d, f);
	}
	/* a page of another version is not read by later checks */
	if (ret)
		d->page.magic = 0;
}

/* Whether taffrail attach would work, for a process without an agent. Nothing
 * is stopped: a child of this command is traced in place of the process. */
void look_attach(struct doctor *d, struct finding *f)
{
	int ret;

	if (d->gone || !may_get_agent(d) || d->attach == -EEXIST)
		return;
	if (d->attach) {
		found_cause(f, DOCTOR_NO, &d->cause);
		return;
	}
	ret = gdbserver_try_tracing();
	if (process_children_away(d->pid, "pid")) {
		cause_set(&d->cause, 0, THREAD_NAMESPACE, .pid = d->pid);
		found_cause(f, DOCTOR_NO, &d->cause);
	} else if (attach_deadline_alone(d->pid)) {
		cause_set(&d->cause, 0, THREAD_DEADLINE, .pid = d->pid);
		found_cause(f, DOCTOR_NO, &d->cause);
	} else if (ret) {
		cause_set(&d->cause, 0, PTRACE_DENIED, .error = ret);
		found_cause(f, DOCTOR_NO, &d->cause);
	} else {
		found_as(f, DOCTOR_OK, "an agent can be loaded; one thread is "
			 "stopped for a moment");
	}
}

/* The page of a destroyed session does not count: the next session takes the
 * place. */
void look_sessions(struct doctor *d, struct finding *f)
{
	struct session_page page;
	uint32_t n = 0, keeping = 0;

	if (!d->page.magic)
		return;
	for (uint32_t i = 0; i < d->page.sessions; i++) {
		if (rundir_read_session(&d->process, d->process.image, i,
					&page) ||
		    page.state == SESSION_DESTROYED)
			continue;
		n++;
		keeping += page.state == SESSION_ACTIVE && page.keep_ns;
	}
	if (n < CHANNELS_MAX)
		found_as(f, DOCTOR_OK, "%u of at most %d", n, CHANNELS_MAX);
	else
		found(f, SESSIONS_MOST, .pid = d->pid, .n = n);
	if (keeping)
		found_more(f, ", %u with --keep, for which a thread of the "
			   "agent stays in the process", keeping);
}

/* The clock that the agent has chosen; one for all sessions. */
void look_its_clock(struct doctor *d, struct finding *f)
{
	const char *words = clock_words(d->page.clock_kind);

	if (!d->page.magic)
		return;
	if (d->page.clock_kind == CLOCK_KIND_TSC)
		found_as(f, DOCTOR_OK, "%s", words);
	else
		found(f, CLOCK_OF_PROCESS, .text = words);
}

/*
 * A filter is "no" where an agent is still to come: it would stay off. Where
 * one is at work, the filter has let it begin, and can only keep commands from
 * calling it (d->deaf).
 */
void look_its_seccomp(struct doctor *d, struct finding *f)
{
	if (d->gone)
		return;
	if (process_status(d->pid, "Seccomp") <= 0) {
		found_as(f, DOCTOR_OK, "no filter");
		return;
	}
	if (!d->page.magic) {
		cause_set(&d->cause, 0, PROGRAM_FILTERED, .pid = d->pid);
		found_cause(f, DOCTOR_NO, &d->cause);
		return;
	}
	if (d->deaf)
		found(f, FILTER_DEAFENS);
	else
		found_as(f, DOCTOR_OK, "it began under a filter, and its agent "
			 "works");
}

/* Always "ok": a process in other namespaces is found all the same. The finding
 * explains paths and numbers that differ from those inside. */
void look_its_namespaces(struct doctor *d, struct finding *f)
{
	static const struct {
		const char *name, *text;
	} kinds[] = {
		{ "pid", "PID" }, { "mnt", "mount" }, { "user", "user" },
		{ "time", "time" }, { "net", "network" }, { "ipc", "IPC" },
		{ "uts", "UTS" }, { "cgroup", "cgroup" },
	};
	char path[32], text[96] = "";
	struct stat st;

	if (d->gone)
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (process_namespace_differs(d->pid, kinds[i].name)) {
			strcat(text, *text ? ", " : "");
			strcat(text, kinds[i].text);
		}
	/* without the right to look, no namespace differs */
	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", d->pid);
	if (stat(path, &st))
		found_as(f, DOCTOR_OK, "they cannot be seen: %s",
			 process_closed(d->pid));
	else if (*text)
		found_as(f, DOCTOR_OK, "%s of its own: it is found all the "
			 "same", text);
	else
		found_as(f, DOCTOR_OK, "those of this command");
}

/* Says that the process's files cannot be read; nothing for other errors: then
 * an earlier check has said why. */
static void found_closed(struct doctor *d, struct finding *f, int error)
{
	if (error == -EACCES || error == -EPERM)
		found(f, MARKERS_CLOSED, .text = process_closed(d->pid));
}

/* Reads the markers from the mapped files, so a process without an agent has
 * an answer, too. */
void look_its_markers(struct doctor *d, struct finding *f)
{
	struct marker_list list = { 0 };
	char fault[MARKERS_FAULT_BYTES];
	int ret = d->gone ? -ESRCH :
			    process_markers_read(&list, d->pid,
						 SYMBOLISER_LTTNG, fault);

	if (ret) {
		found_closed(d, f, ret);
		return;
	}
	found_markers(f, &list);
	if (*fault && f->state == DOCTOR_OK) {
		f->state = DOCTOR_LIMITED;
		f->id = CAUSE_MARKERS_UNREAD;
	}
	if (*fault)
		found_more(f, "; %s", fault);
	marker_list_free(&list);
}

/* Adds to the finding that a file's probes are not counted: `now` is the path
 * of the file in its place, or "". Several files add up; the remedy is one. */
static void found_replaced(const char *path, const char *now, void *arg)
{
	struct finding *f = arg;

	f->state = DOCTOR_LIMITED;
	f->id = f->id ? f->id : CAUSE_MARKERS_UNREAD;
	found_more(f, "; %s was %s since the process mapped it, and its probes "
		   "cannot be read", path, *now ? "replaced" : "removed");
	found_remedy(f, "start the program again");
}

/* As look_its_markers(), and says where a probe's jump finds no place in this
 * process. Files that were replaced since cannot be read by their names. */
void look_its_probes(struct doctor *d, struct finding *f)
{
	struct marker_list list = { 0 };
	int ret = d->gone ? -ESRCH : process_probes_read(&list, d->pid);

	if (ret) {
		found_closed(d, f, ret);
		return;
	}
	placement_settle(&list, d->pid);
	found_probes(d, f, &list);
	marker_list_free(&list);
	process_each_unread(d->pid, found_replaced, f);
}
