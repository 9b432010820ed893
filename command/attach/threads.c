/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process's threads as /proc shows them: their names, their registers, and
 * which is the best one to stop; and how long their turns of the scheduler are.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command/attach/steps.h"
#include "command/procfs/process.h"
#include "command/procfs/threads.h"

bool attach_thread_named(pid_t pid, const char *name)
{
	DIR *list = threads_open(pid);
	bool found = false;
	pid_t tid;

	while (!found && (tid = threads_next(list)))
		found = process_named(pid, tid, name);
	threads_close(list);
	return found;
}

/* Returns 1 for the mapping of the page. */
static int is_page(const struct process_mapping *m, void *arg)
{
	static const char mark[] = " (deleted)";
	const struct attach_owner *owner = arg;
	size_t n = strlen(m->path), file = strlen(owner->file);

	if (n > strlen(mark) && !strcmp(m->path + n - strlen(mark), mark))
		n -= strlen(mark);
	return m->start == owner->page && n > file &&
	       !memcmp(m->path + n - file, owner->file, file);
}

int attach_owner_check(pid_t pid, const struct attach_owner *owner)
{
	bool own = owner->uid == geteuid() || process_is_of(pid, owner->uid);
	int maps = process_each_mapping(pid, is_page, (void *)owner);

	/* the kernel shows none when the first thread has ended */
	if (!maps && attach_first_ended(pid))
		maps = -ESRCH;

	/* the processes of a container have several users */
	if (!own && (maps <= 0 || !process_namespace_differs(pid, "user")))
		return -EXDEV;
	/* below 0, this command may not see it, and the kernel decides */
	return maps ? 0 : -ESTALE;
}

int attach_thread_waits(pid_t pid, pid_t tid, uint64_t *sp, uint64_t *pc)
{
	char text[256], *p;

	if (process_text(pid, tid, "syscall", text, sizeof(text)) <= 0)
		return -ESRCH;
	/* the last two numbers of a line */
	p = strrchr(text, ' ');
	if (!p)
		return -EAGAIN;
	*pc = strtoull(p, NULL, 16);
	*p = '\0';
	p = strrchr(text, ' ');
	*sp = p ? strtoull(p, NULL, 16) : 0;
	return p ? 0 : -EAGAIN;
}

bool attach_signal_in(pid_t pid, pid_t tid, const char *set, int number)
{
	return process_set(pid, tid, set) >> (number - 1) & 1;
}

/* Returns true for a thread in a system call that has another mask meanwhile:
 * the kernel does not show the one that comes back. */
static bool masks_for_a_call(pid_t pid, pid_t tid)
{
	unsigned long long args[6];
	char text[256] = "";
	int number;

	process_text(pid, tid, "syscall", text, sizeof(text));
	if (sscanf(text, "%d %llx %llx %llx %llx %llx %llx", &number, &args[0],
		   &args[1], &args[2], &args[3], &args[4], &args[5]) != 7)
		return false;
	switch (number) {
	case SYS_rt_sigtimedwait:
	case SYS_rt_sigsuspend:
		return true;
	case SYS_ppoll:
		return args[3];
	case SYS_epoll_pwait:
		return args[4];
	case SYS_pselect6:
		return args[5];
	}
	return false;
}

bool attach_thread_blocks_traps(pid_t pid, pid_t tid)
{
	/* glibc's own two, 32 and 33: it blocks them for one call of it */
	const uint64_t libcs = 3ull << 31;
	uint64_t blocked = process_set(pid, tid, "SigBlk");

	return blocked >> (SIGTRAP - 1) & 1 ? (blocked & libcs) != libcs :
					      masks_for_a_call(pid, tid);
}

bool attach_traps_blocked(pid_t pid)
{
	DIR *list = threads_open(pid);
	bool blocked = false;
	pid_t tid;

	while (!blocked && (tid = threads_next(list)))
		blocked = attach_thread_blocks_traps(pid, tid);
	threads_close(list);
	return blocked;
}

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE	6
#endif

/* Flags of a thread in /proc/PID/stat (linux/sched.h). */
#define PF_IO_WORKER	0x10ul
#define PF_USER_WORKER	0x4000ul
#define STATE_FIELD	3
#define FLAGS_FIELD	9

/* No thread of glibc blocks this signal for longer than one call of glibc
 * takes. */
#define UNBLOCKED	33

/* Reads the thread's state, a letter as in /proc, and the flags. Returns the
 * state; 0: the thread has exited. */
static char state_of(pid_t pid, pid_t tid, unsigned long *flags)
{
	char text[256];

	process_text(pid, tid, "stat", text, sizeof(text));
	*flags = strtoul(process_stat_field(text, FLAGS_FIELD), NULL, 10);
	return *process_stat_field(text, STATE_FIELD);
}

/* Older kernels have other meanings for the flags, so the mask of signals
 * counts, too: a worker blocks all. */
static bool is_worker(pid_t pid, pid_t tid, unsigned long flags)
{
	return flags & (PF_IO_WORKER | PF_USER_WORKER) &&
	       attach_signal_in(pid, tid, "SigBlk", UNBLOCKED);
}

bool attach_thread_deadline(pid_t tid)
{
	return sched_getscheduler(tid) == SCHED_DEADLINE;
}

bool attach_deadline_alone(pid_t pid)
{
	pid_t tids[ATTACH_THREADS_MAX];
	int n = attach_threads_list(pid, tids);
	bool alone = n > 0 && !attach_thread_named(pid, "taffrail");

	for (int i = 0; i < n; i++)
		alone = alone && attach_thread_deadline(tids[i]);
	return alone;
}

bool attach_thread_worker(pid_t pid, pid_t tid)
{
	unsigned long flags = 0;

	return state_of(pid, tid, &flags) && is_worker(pid, tid, flags);
}

bool attach_thread_blocked(pid_t pid, pid_t tid)
{
	unsigned long flags;

	return state_of(pid, tid, &flags) == 'D';
}

#define RANKS		4
#define RANK_BLOCKED	3

/* Ranks a thread for a stop: 0 best, -1 not at all. */
static int rank_thread(pid_t pid, pid_t tid)
{
	static const int waits[] = {
		SYS_futex, SYS_nanosleep, SYS_clock_nanosleep, SYS_poll,
		SYS_ppoll, SYS_select, SYS_pselect6, SYS_wait4, SYS_waitid,
		SYS_read, SYS_pause,
	};
	unsigned long flags = 0;
	char text[32], state = state_of(pid, tid, &flags);
	int number;

	if (!state || state == 'Z' || state == 'X' ||
	    is_worker(pid, tid, flags))
		return -1;
	if (state == 'D')
		return RANK_BLOCKED;
	if (process_text(pid, tid, "syscall", text, sizeof(text)) < 0)
		return 2;
	if (sscanf(text, "%d", &number) != 1)
		number = -2;
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (waits[i] == number)
			return 0;
	return number < 0 ? 1 : 2;
}

int attach_threads_list(pid_t pid, pid_t tids[ATTACH_THREADS_MAX])
{
	pid_t found[RANKS][ATTACH_THREADS_MAX];
	int n[RANKS] = { 0 }, total = 0;
	DIR *list = threads_open(pid);
	pid_t tid;
	int rank;

	while ((tid = threads_next(list))) {
		rank = rank_thread(pid, tid);
		if (rank >= 0 && n[rank] < ATTACH_THREADS_MAX)
			found[rank][n[rank]++] = tid;
	}
	threads_close(list);
	for (int r = 0; r < RANK_BLOCKED; r++)
		for (int i = 0; i < n[r] && total < ATTACH_THREADS_MAX; i++)
			tids[total++] = found[r][i];
	/* such a thread stops when the wait ends; only one, since each may take
	 * long */
	if (!total && n[RANK_BLOCKED])
		tids[total++] = found[RANK_BLOCKED][0];
	return total;
}

bool attach_first_ended(pid_t pid)
{
	unsigned long flags;
	char state = state_of(pid, pid, &flags);

	return !state || state == 'Z' || state == 'X';
}

bool attach_threads_blocked(pid_t pid)
{
	pid_t tids[ATTACH_THREADS_MAX];
	unsigned long flags;

	return attach_threads_list(pid, tids) == 1 &&
	       state_of(pid, tids[0], &flags) == 'D';
}

/*
 * Kernels from 6.12 (EEVDF) give a thread that asks for short turns its turns
 * sooner, which shortens a stop: it is made of many short turns. Older kernels
 * ignore the request. The nice value stays, so no rights are needed.
 */
uint64_t attach_turns(pid_t tid, uint64_t ns)
{
	struct turns {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attr = { 0 }, usual = { 0 };
	uint64_t before;

	if (syscall(SYS_sched_getattr, tid, &attr, sizeof(attr), 0) ||
	    attr.policy != SCHED_OTHER)
		return 0;
	before = attr.runtime;
	/* a default value must be restored as the default */
	if (!syscall(SYS_sched_getattr, getpid(), &usual, sizeof(usual), 0) &&
	    usual.runtime == before)
		before = 0;
	attr.size = sizeof(attr);
	attr.runtime = ns;
	syscall(SYS_sched_setattr, tid, &attr, 0);
	return before;
}
