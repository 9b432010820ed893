/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls that the agent and the command use (docs/platforms.md). Each is
 * made, in a child, because a filter may deny a call that the kernel has.
 *
 * Invariant: a call that fails is judged by the feature that is lost without
 * it: "no" only where the agent stays off, else "limited".
 */
#include <errno.h>
#include <linux/close_range.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sys.h"
#include "buffers/clock.h"
#include "buffers/writers/write.h"
#include "command/doctor/private.h"
#include "command/sandbox/child.h"

#define CLOCKSOURCE                                                    \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

/*
 * Makes one call, in a child that ends then: whatever the call changes goes
 * with it. Returns 0 or the errno of the call.
 */
static int make_call(enum aside_call call)
{
	char from = 1, to = 0;
	struct iovec here = { &to, 1 }, there = { &from, 1 };
	void *page;

	switch (call) {
	case CALL_RSEQ:
		return write_rseq_test() ? 0 : ENOSYS;
	case CALL_MEMBARRIER:
		return (int)-sys_membarrier(
			MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ);
	/* as above, a registration: it ends with the child */
	case CALL_SYNC:
		return (int)-sys_membarrier(
			MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE);
	case CALL_MADVISE:
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED)
			return errno;
		return madvise(page, 4096, MADV_WIPEONFORK) ? errno : 0;
	case CALL_CLOSE_RANGE:
		/* closes a number that is not open */
		return sys3(SYS_close_range, ~0u, ~0u, CLOSE_RANGE_UNSHARE) ?
			       ENOSYS : 0;
	case CALL_PIDFD:
		return (int)sys2(SYS_pidfd_open, getpid(), 0) < 0 ? ENOSYS : 0;
	case CALL_MEMFD:
		return memfd_create("taffrail", MFD_CLOEXEC) < 0 ? errno : 0;
	case CALL_MEMORY:
		return process_vm_readv(getpid(), &here, 1, &there, 1, 0) < 0 ?
			       errno : 0;
	case CALL_MKDIR:
		/* makes nothing: the path is empty */
		mkdir("", 0700);
	}
	return 0;
}

int aside(enum aside_call call)
{
	int status;
	pid_t pid;

	/* the child must not print the lines that a buffer still has */
	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(make_call(call));
	/* without a child, or where SIGCHLD is ignored */
	status = child_wait(pid);
	if (status < 0)
		return ASIDE_NOT;
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* Writes why a call failed: an errno, or the signal that a filter sent. Returns
 * `text`. */
static const char *failure_text(char text[64], int error)
{
	if (error < 0)
		snprintf(text, 64, "a filter kills for it (%s)",
			 sigabbrev_np(-error) ?: "signal");
	else
		snprintf(text, 64, "%s", strerror(error));
	return text;
}

/* Returns true, and says so, when the call was not made. */
static bool found_untried(struct finding *f, int error)
{
	if (error == ASIDE_NOT)
		found(f, CALL_UNTRIED);
	return error == ASIDE_NOT;
}

/* Always "ok": the release tells no feature, the calls below do. */
void look_kernel(struct doctor *d, struct finding *f)
{
	struct utsname name;

	uname(&name);
	found_as(f, DOCTOR_OK, "%s %s, %s", name.sysname, name.release,
		 name.machine);
}

/* At most "limited": without the call an event costs a lock, and none is
 * lost. */
void look_rseq(struct doctor *d, struct finding *f)
{
	int error = aside(CALL_RSEQ);

	if (!error)
		found_as(f, DOCTOR_OK, "restartable sequences work");
	else if (!found_untried(f, error))
		found(f, RSEQ_NONE);
}

/*
 * Tries the two commands that the agent registers for: one restarts a writer
 * that is in the middle of a record, one has all CPUs see changed code. At most
 * "limited": the agent has a slower way for each.
 */
void look_membarrier(struct doctor *d, struct finding *f)
{
	int error = aside(CALL_MEMBARRIER);
	char text[64];

	if (found_untried(f, error))
		return;
	if (error)
		found(f, MEMBARRIER_NONE, .text = failure_text(text, error));
	else if ((error = aside(CALL_SYNC)))
		found(f, MEMBARRIER_CODELESS,
		      .text = failure_text(text, error));
	else
		found_as(f, DOCTOR_OK, "membarrier works");
}

/* Calls that work or do not, and what is told without each. */
static const struct {
	const char *subject;
	enum aside_call call;
	const char *name;
	enum cause_id without;
} calls[] = {
	{ "madvise", CALL_MADVISE, "MADV_WIPEONFORK", CAUSE_MADVISE_NONE },
	{ "close_range", CALL_CLOSE_RANGE, "close_range",
	  CAUSE_CLOSE_RANGE_NONE },
	{ "pidfd", CALL_PIDFD, "pidfd_open", CAUSE_PIDFD_NONE },
	{ "memfd", CALL_MEMFD, "memfd_create", CAUSE_MEMFD_NONE },
	{ "memory", CALL_MEMORY, "process_vm_readv", CAUSE_VM_READV_NONE },
};

/* Makes the call of the subject's row; each check with this function has a row
 * in calls[], or the search does not end. */
void look_call(struct doctor *d, struct finding *f)
{
	char text[64];
	size_t i = 0;
	int error;

	while (strcmp(calls[i].subject, d->subject))
		i++;
	error = aside(calls[i].call);
	if (!error)
		found_as(f, DOCTOR_OK, "%s works", calls[i].name);
	else if (!found_untried(f, error))
		found_fill(f, calls[i].without,
			   &(struct cause_slots){
				   .error = error < 0 ? EPERM : error,
				   .text = failure_text(text, error) });
}

/*
 * Judges the clock that an agent would choose here, by the same function.
 * "no" where the counter cannot be read: a program inherits that. Other clocks
 * are slower, or have no time, and lose nothing else.
 */
void look_clock(struct doctor *d, struct finding *f)
{
	const char *wanted = getenv("TAFFRAIL_CLOCK");
	char source[64];
	int tsc = PR_TSC_ENABLE;

	if (!prctl(PR_GET_TSC, &tsc) && tsc == PR_TSC_SIGSEGV) {
		found(f, CLOCK_FORBIDDEN);
		return;
	}
	clock_select(wanted);
	switch (clock_settle(0)) {
	case CLOCK_KIND_TSC:
		found_as(f, DOCTOR_OK, "time stamp counter, %llu MHz",
			 (unsigned long long)clock_hz() / 1000000);
		break;
	case CLOCK_KIND_ATOMIC:
		found(f, CLOCK_COUNTER);
		break;
	default:
		first_line(source, sizeof(source), CLOCKSOURCE);
		if (wanted && !strcmp(wanted, "monotonic"))
			found(f, CLOCK_MONOTONIC_WANTED);
		else if (clock_tsc_invariant())
			found(f, CLOCK_KERNEL_OTHER, .text = source);
		else
			found(f, CLOCK_VARIES, .text = source);
	}
}
