/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Facts of a process in /proc. See process.h.
 *
 * Invariant: each fact is read when it is asked for. A process changes at any
 * time, so nothing here is kept, and two answers need not be of one moment.
 */
#include "command/procfs/process.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command/causes/cause.h"
#include "command/common/limits.h"
#include "command/procfs/threads.h"

/* Field 9 of /proc/PID/stat, and of it, by the kernel's <linux/sched.h>, what a
 * thread has from the begin of its end on. */
#define STAT_FLAGS	9
#define PF_EXITING	0x4ul

/* The last field, and struct pidfd_info of <linux/pidfd.h>, which older headers
 * do not have. */
#define STAT_EXIT_CODE	52
#define INFO_EXIT	(1u << 3)

struct end_info {
	uint64_t mask;
	uint64_t cgroup;
	uint32_t ids[11];
	int32_t status;
};

#define GET_INFO	_IOWR(0xff, 11, struct end_info)

FILE *process_stream(pid_t pid, pid_t tid, const char *name)
{
	char path[64];

	if (tid)
		snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid,
			 name);
	else
		snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return fopen(path, "re");
}

ssize_t process_text(pid_t pid, pid_t tid, const char *name, char *text,
		     size_t room)
{
	FILE *f = process_stream(pid, tid, name);
	size_t n;

	text[0] = '\0';
	if (!f)
		return -errno;
	n = fread(text, 1, room - 1, f);
	text[n] = '\0';
	fclose(f);
	return (ssize_t)n;
}

const char *process_stat_field(const char *text, int field)
{
	/* the second one, a name that may have blanks, ends in ')' */
	const char *p = strrchr(text, ')');

	for (int i = 2; p && i < field; i++)
		p = strchr(p + 1, ' ');
	return p ? p + 1 : "";
}

int process_end_signal(pid_t pid, int pidfd)
{
	struct end_info info;
	char text[1024];
	int status = 0;

	/* the parent may learn of it between the two */
	for (int i = 0; i < 2; i++) {
		info = (struct end_info){ .mask = INFO_EXIT };
		if (!ioctl(pidfd, GET_INFO, &info) && info.mask & INFO_EXIT) {
			status = info.status;
			break;
		}
		if (process_text(pid, 0, "stat", text, sizeof(text)) > 0 &&
		    *process_stat_field(text, 3) == 'Z' &&
		    !syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0)) {
			status = atoi(process_stat_field(text, STAT_EXIT_CODE));
			break;
		}
	}
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

bool process_named(pid_t pid, pid_t tid, const char *name)
{
	size_t n = strlen(name);
	char comm[32];

	return process_text(pid, tid, "comm", comm, sizeof(comm)) > 0 &&
	       !strncmp(comm, name, n) && comm[n] == '\n';
}

static bool has_exited(pid_t tid)
{
	return process_status_has(tid, "State", "\tZ") ||
	       process_status_has(tid, "State", "\tX");
}

pid_t process_shown(pid_t pid)
{
	pid_t tid;
	DIR *list;

	if (!has_exited(pid))
		return pid;
	list = threads_open(pid);
	do
		tid = threads_next(list);
	while (tid && has_exited(tid));
	threads_close(list);
	return tid ? tid : pid;
}

bool process_ending(pid_t pid)
{
	DIR *list = threads_open(pid);
	bool ending = list;
	char text[1024];
	pid_t tid;

	while (ending && (tid = threads_next(list)))
		/* a thread that is gone meanwhile has ended, too */
		if (process_text(pid, tid, "stat", text, sizeof(text)) > 0)
			ending = strtoul(process_stat_field(text, STAT_FLAGS),
					 NULL, 10) & PF_EXITING;
	threads_close(list);
	return ending;
}

int process_each_mapping(pid_t pid,
			 int (*call)(const struct process_mapping *m,
				     void *arg), void *arg)
{
	FILE *f = process_stream(process_shown(pid), 0, "maps");
	char *line = NULL, flags[5];
	struct process_mapping m;
	size_t room = 0;
	int at, ret = 0;

	if (!f)
		return -errno;
	while (!ret && getline(&line, &room, f) > 0) {
		at = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64
			   " %x:%x %" SCNu64 " %n", &m.start, &m.end, flags,
			   &m.offset, &m.major, &m.minor, &m.inode, &at) != 7 ||
		    !at || line[at] != '/')
			continue;
		m.executable = flags[2] == 'x';
		snprintf(m.path, sizeof(m.path), "%s", line + at);
		m.path[strcspn(m.path, "\n")] = '\0';
		ret = call(&m, arg);
	}
	free(line);
	fclose(f);
	return ret;
}

/* Room for the longest line: NSpid has 32 numbers at most (MAX_PID_NS_LEVEL,
 * linux/pid_namespace.h). */
#define STATUS_BYTES	512

/* Reads the line of /proc/PID/status that begins with a word, up to
 * STATUS_BYTES. Returns the text behind the colon, which is in `line`, or
 * NULL. */
static const char *status_value(char line[STATUS_BYTES], pid_t pid, pid_t tid,
				const char *word)
{
	FILE *f = process_stream(pid, tid, "status");
	const char *value = NULL;
	size_t n = strlen(word);

	while (f && !value && fgets(line, STATUS_BYTES, f))
		if (!strncmp(line, word, n) && line[n] == ':')
			value = line + n + 1;
	if (f)
		fclose(f);
	return value;
}

long process_status(pid_t pid, const char *word)
{
	char line[STATUS_BYTES];
	const char *value = status_value(line, pid, 0, word);

	return value ? strtol(value, NULL, 10) : -1;
}

bool process_status_has(pid_t pid, const char *word, const char *text)
{
	char line[STATUS_BYTES];
	const char *value = status_value(line, pid, 0, word);

	return value && strstr(value, text);
}

long process_euid(pid_t pid)
{
	char line[STATUS_BYTES];
	const char *value = status_value(line, pid, 0, "Uid");
	long uid;

	return value && sscanf(value, "%*d %ld", &uid) == 1 ? uid : -1;
}

pid_t process_inner_pid(pid_t pid)
{
	char line[STATUS_BYTES];
	const char *value = status_value(line, pid, 0, "NSpid");
	const char *last = value ? strrchr(value, '\t') : NULL;

	return last ? atoi(last + 1) : pid;
}

bool process_in_view(pid_t pid)
{
	char line[STATUS_BYTES];
	const char *value = status_value(line, pid, 0, "NSpid");

	return value && *value == '\t' && !strchr(value + 1, '\t') &&
	       atoi(value) == pid;
}

bool process_is_of(pid_t tid, uid_t uid)
{
	char line[STATUS_BYTES];
	const char *value = status_value(line, tid, 0, "Uid");
	unsigned int ids[3];

	return value &&
	       sscanf(value, "%u %u %u", &ids[0], &ids[1], &ids[2]) == 3 &&
	       ids[0] == uid && ids[1] == uid && ids[2] == uid;
}

uint64_t process_set(pid_t pid, pid_t tid, const char *word)
{
	char line[STATUS_BYTES];
	const char *value = status_value(line, pid, tid, word);

	return value ? strtoull(value, NULL, 16) : 0;
}

bool process_capable(pid_t pid, unsigned int capability)
{
	return process_set(pid, 0, "CapEff") >> capability & 1;
}

#define SIGNAL_BIT(number)	(1ull << ((number) - 1))

bool process_handles_faults(pid_t pid)
{
	return process_set(pid, 0, "SigCgt") &
	       (SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS));
}

bool process_killed(pid_t pid)
{
	return (process_set(pid, 0, "SigPnd") | process_set(pid, 0, "ShdPnd")) &
	       SIGNAL_BIT(SIGKILL);
}

bool process_namespace_differs(pid_t pid, const char *kind)
{
	char path[64];
	struct stat ours, theirs;

	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	if (stat(path, &ours))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid, kind);
	return !stat(path, &theirs) && ours.st_ino != theirs.st_ino;
}

bool process_has_id(pid_t pid, const char *map, uint32_t id)
{
	unsigned int first, count;
	bool found = !process_namespace_differs(pid, "user");
	char line[128];
	FILE *f = found ? NULL : process_stream(pid, 0, map);

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*u %u %u", &first, &count) == 2 &&
			id - first < count;
	if (f)
		fclose(f);
	return found;
}

bool process_children_away(pid_t pid, const char *kind)
{
	struct stat own, children;
	DIR *list = threads_open(pid);
	bool away = list;
	char file[96];
	pid_t tid;

	while (away && (tid = threads_next(list))) {
		snprintf(file, sizeof(file), "/proc/%d/task/%d/ns/%.16s", pid,
			 tid, kind);
		away = !stat(file, &own);
		strcat(file, "_for_children");
		/* a PID namespace has no file before the first process */
		if (away)
			away = stat(file, &children) ?
				       errno == ENOENT :
				       own.st_ino != children.st_ino;
	}
	threads_close(list);
	return away;
}

enum process_stop process_stopped_by(pid_t pid, pid_t *tracer)
{
	enum process_stop stop = PROCESS_RUNS;
	char path[32], line[STATUS_BYTES];
	pid_t by = 0;
	FILE *f;

	/* proc(5): State: T (stopped), or t (tracing stop); a line or two later
	 * TracerPid: N */
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "State:\tT", 8))
			stop = STOPPED_BY_SIGNAL;
		else if (!strncmp(line, "State:\tt", 8))
			stop = STOPPED_BY_TRACER;
		else if (sscanf(line, "TracerPid: %d", &by) == 1)
			break;
	}
	if (f)
		fclose(f);
	if (tracer)
		*tracer = by;
	return stop;
}

bool process_stopped(pid_t pid)
{
	return process_stopped_by(pid, NULL) != PROCESS_RUNS;
}

bool process_stopped_why(pid_t pid, struct cause *cause)
{
	pid_t tracer;

	switch (process_stopped_by(pid, &tracer)) {
	case STOPPED_BY_SIGNAL:
		cause_set(cause, 0, PROCESS_STOPPED, .pid = pid);
		return true;
	case STOPPED_BY_TRACER:
		if (tracer)
			cause_set(cause, 0, PROCESS_STOPPED_BY_TRACER,
				  .pid = pid, .n = tracer);
		else
			cause_set(cause, 0, PROCESS_STOPPED_BY_UNSEEN,
				  .pid = pid);
		return true;
	case PROCESS_RUNS:
		break;
	}
	return false;
}

const char *process_closed(pid_t pid)
{
	long uid = process_status(pid, "Uid");
	char path[32];
	struct stat st;

	if (uid >= 0 && (uid_t)uid != geteuid())
		return "it belongs to another user";
	/* the directory /proc/PID itself always belongs to the user */
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	return !stat(path, &st) && st.st_uid != geteuid() ?
		       "it is not dumpable" : "the kernel forbids it";
}

void process_missing(pid_t pid, struct cause *cause)
{
	if (errno == EMFILE || errno == ENFILE)
		cause_set(cause, 0, PROCESS_UNREAD, .pid = pid, .error = errno);
	else if (kill(pid, 0) && errno != EPERM)
		cause_set(cause, 0, PROCESS_NONE, .pid = pid);
	else if (!limits_blind())
		cause_set(cause, 0, PROCESS_HIDDEN, .pid = pid);
	else
		cause_set(cause, 0, NO_PROC);
}

/* A mapping that is looked for: of a file whose name is, or begins with, the
 * text; or, without a name, one that is executable at the address. */
struct wanted {
	const char *name;
	bool whole;
	uint64_t address;
};

/* Returns 1 for the mapping that is looked for, else 0. */
static int mapping_wanted(const struct process_mapping *m, void *arg)
{
	const struct wanted *wanted = arg;
	const char *is = strrchr(m->path, '/') + 1;
	size_t n;

	if (!wanted->name)
		return m->executable &&
		       wanted->address - m->start < m->end - m->start;
	n = strlen(wanted->name);
	return !strncmp(is, wanted->name, n) &&
	       (!wanted->whole || !is[n] || !strcmp(is + n, " (deleted)"));
}

bool process_maps_file(pid_t pid, const char *name)
{
	struct wanted wanted = { .name = name, .whole = true };

	return process_each_mapping(pid, mapping_wanted, &wanted) == 1;
}

bool process_executes(pid_t pid, uint64_t address)
{
	struct wanted wanted = { .address = address };

	return process_each_mapping(pid, mapping_wanted, &wanted) == 1;
}

bool process_maps_beginning(pid_t pid, const char *name)
{
	struct wanted wanted = { .name = name };

	return process_each_mapping(pid, mapping_wanted, &wanted) == 1;
}

int process_memory(pid_t pid, uint64_t from, void *to, size_t bytes)
{
	struct iovec here = { to, bytes };
	struct iovec there = { (void *)(uintptr_t)from, bytes };
	ssize_t n = process_vm_readv(pid, &here, 1, &there, 1, 0);

	return n == (ssize_t)bytes ? 0 : n < 0 ? -errno : -EFAULT;
}
