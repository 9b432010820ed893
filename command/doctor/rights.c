/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rights of this command: /proc, filters, namespaces, ptrace, core dumps.
 *
 * Invariant: a right is tried where that harms nothing (ptrace), and read from
 * /proc elsewhere.
 */
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command/attach/attach.h"
#include "command/doctor/private.h"
#include "command/gdbserver/gdbserver.h"
#include "command/procfs/process.h"

/* /proc of another PID namespace has wrong numbers, so it is as bad as none.
 * "no" for -p alone: record works without it. */
void look_proc(struct doctor *d, struct finding *f)
{
	char link[32];
	ssize_t n = readlink("/proc/self", link, sizeof(link) - 1);
	char line[64];

	link[n > 0 ? n : 0] = '\0';
	if (n > 0 && atoi(link) == getpid()) {
		found_as(f, DOCTOR_OK, "/proc is mounted");
		return;
	}
	first_line(line, sizeof(line), "/proc/uptime");
	/* without it the command cannot look at a process */
	if (line[0])
		found(f, PROC_OTHER);
	else
		found(f, NO_PROC);
	f->state = d->pid ? DOCTOR_NO : DOCTOR_LIMITED;
}

/* Filters are inherited, so a program that this command starts has them, too.
 * They are counted since Linux 5.9. */
void look_seccomp(struct doctor *d, struct finding *f)
{
	const char *word = getenv("TAFFRAIL_SECCOMP");
	long filters = process_status(getpid(), "Seccomp_filters");

	if (process_status(getpid(), "Seccomp") <= 0) {
		found_as(f, DOCTOR_OK, "this command is under no filter");
		return;
	}
	/* the user has decided: no remedy is needed */
	if (word && *word)
		found(f, FILTERS_SETTLED);
	else if (filters < 0)
		found(f, FILTERS_UNKNOWN);
	else
		found(f, FILTERS_TRIED, .n = filters);
}

/* The first user namespace maps all users to themselves. */
bool own_user_namespace(void)
{
	char line[128];
	unsigned long inside, outside, count;

	return sscanf(first_line(line, sizeof(line), "/proc/self/uid_map"),
		      "%lu %lu %lu", &inside, &outside, &count) == 3 &&
	       (inside || outside || count != 0xffffffff);
}

/* Always "ok": a fact that explains others. A namespace is the machine's own if
 * the kernel's number says so, or the first process is in it. */
void look_namespaces(struct doctor *d, struct finding *f)
{
	/* `first` is the number that the kernel gives to the machine's own
	 * one (include/linux/proc_ns.h of Linux); 0: a kind without such a
	 * number */
	static const struct {
		const char *name, *text;
		uint64_t first;
	} kinds[] = {
		{ "mnt", ", mount", 0 }, { "net", ", network", 0 },
		{ "ipc", ", IPC", 0xefffffff }, { "uts", ", UTS", 0xeffffffe },
		{ "cgroup", ", cgroup", 0xeffffffb },
	};
	char text[128] = "", path[32], line[128], clock[32];
	long seconds, nanoseconds;
	struct stat ours, theirs;

	if (rundir_namespace(getpid()))
		strcat(text, ", PID: processes outside are not seen");
	if (own_user_namespace())
		strcat(text, ", user");
	first_line(line, sizeof(line), "/proc/self/timens_offsets");
	if (sscanf(line, "%31s %ld %ld", clock, &seconds, &nanoseconds) == 3 &&
	    (seconds || nanoseconds))
		strcat(text, ", time");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		snprintf(path, sizeof(path), "/proc/self/ns/%s", kinds[i].name);
		if (stat(path, &ours) || ours.st_ino == kinds[i].first)
			continue;
		snprintf(path, sizeof(path), "/proc/1/ns/%s", kinds[i].name);
		if (kinds[i].first ||
		    (!stat(path, &theirs) && ours.st_ino != theirs.st_ino))
			strcat(text, kinds[i].text);
	}
	found_as(f, DOCTOR_OK, "%s%s", *text ? "own " : "those of the machine",
		 *text ? text + 2 : "");
}

/* Returns true with CAP_SYS_PTRACE, which yama's setting 1 and 2 let pass. */
static bool may_trace_any(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capget, &head, data) &&
	       data[CAP_TO_INDEX(CAP_SYS_PTRACE)].effective &
	       CAP_TO_MASK(CAP_SYS_PTRACE);
}

/* At most "limited": only attach and gdbserver need ptrace(2). A try finds a
 * filter or a container; yama's setting does not hold for children, so it is
 * read. */
void look_ptrace(struct doctor *d, struct finding *f)
{
	long scope = attach_yama_scope();
	int error = gdbserver_try_tracing();

	if (error) {
		found(f, PTRACE_DENIED, .error = error);
	} else if (scope > 2) {
		found(f, PTRACE_SCOPE_MOST, .n = scope);
	} else if (scope && !may_trace_any()) {
		found(f, PTRACE_SCOPE_SET, .n = scope);
	} else {
		found_as(f, DOCTOR_OK, "%s may be attached to",
			 may_trace_any() ? "processes of any user" :
					   "processes of this user");
	}
}

/* snapshot --core reads rings from a core dump, so the place of dumps is told;
 * "limited" where TAFFRAIL_CORE=on asks for dumps that will not come. */
void look_core(struct doctor *d, struct finding *f)
{
	const char *word = getenv("TAFFRAIL_CORE");
	bool wanted = word && !strcmp(word, "on");
	char pattern[256];
	struct rlimit limit;

	first_line(pattern, sizeof(pattern), "/proc/sys/kernel/core_pattern");
	if (!getrlimit(RLIMIT_CORE, &limit) && !limit.rlim_cur &&
	    pattern[0] != '|') {
		if (wanted)
			found(f, CORES_NONE);
		else
			found_as(f, DOCTOR_OK, "no core dumps (ulimit -c is 0)");
	} else if (pattern[0] == '|') {
		found_as(f, DOCTOR_OK, "core dumps go to a program (%s): "
			 "snapshot --core needs a file, which that program may "
			 "give", pattern + 1);
	} else {
		found_as(f, DOCTOR_OK, "core dumps go to %s",
			 *pattern ? pattern : "a file");
	}
}

/* For people: the kinds are those of struct process_page. */
const char *clock_words(uint32_t kind)
{
	return kind == CLOCK_KIND_TSC ? "time stamp counter" :
	       kind == CLOCK_KIND_MONOTONIC ?
		       "CLOCK_MONOTONIC: each event is written under a lock" :
		       "a counter: events have an order and no time";
}
