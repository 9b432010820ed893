/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls that the agent and the command use (docs/platforms.md). Each is
 * made, in a child, because a filter may deny a call that the kernel has.
 */
#include <errno.h>
#include <linux/close_range.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/sys.h"
#include "buffers/clock.h"
#include "buffers/writers/write.h"
#include "command/doctor/private.h"

#define CLOCKSOURCE                                                    \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* Writes why a call failed: an errno, or the signal that a filter sent. */
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
		found_as(f, DOCTOR_LIMITED, "not tried: no child process can "
			 "be made");
	return error == ASIDE_NOT;
}

/* Makes the call. Says that the call works, or which feature is lost without
 * it. */
static void found_call(struct finding *f, int (*call)(void), const char *name,
		       enum doctor_state without, const char *lost)
{
	char text[64];
	int error = aside(call);

	if (!error) {
		found_as(f, DOCTOR_OK, "%s works", name);
		return;
	}
	if (found_untried(f, error))
		return;
	found_as(f, without, "%s: %s: %s", name, failure_text(text, error),
		 lost);
	if (error < 0 || error == EPERM || error == EACCES)
		found_remedy(f, "a seccomp filter that allows it");
}

void look_kernel(struct doctor *d, struct finding *f)
{
	struct utsname name;

	(void)d;
	uname(&name);
	found_as(f, DOCTOR_OK, "%s %s, %s", name.sysname, name.release,
		 name.machine);
}

static int call_rseq(void)
{
	return write_rseq_test() ? 0 : ENOSYS;
}

void look_rseq(struct doctor *d, struct finding *f)
{
	int error = aside(call_rseq);

	(void)d;
	if (!error)
		found_as(f, DOCTOR_OK, "restartable sequences work");
	if (!error || found_untried(f, error))
		return;
	found_as(f, DOCTOR_LIMITED, "no restartable sequences: each event is "
		 "written under a lock");
	found_remedy(f, "Linux 4.18 or later, a filter that allows rseq(2), "
		     "and no glibc.pthread.rseq=0 in GLIBC_TUNABLES");
}

static int call_membarrier(void)
{
	return (int)-sys_membarrier(
		MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ);
}

static int call_sync(void)
{
	return (int)-sys_membarrier(
		MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE);
}

void look_membarrier(struct doctor *d, struct finding *f)
{
	int error = aside(call_membarrier);
	char text[64];

	(void)d;
	if (found_untried(f, error))
		return;
	if (error) {
		found_as(f, DOCTOR_LIMITED, "no private expedited membarrier "
			 "for rseq (%s): each event is written under a lock",
			 failure_text(text, error));
		found_remedy(f, "Linux 5.10 or later, and a filter that "
			     "allows membarrier(2)");
	} else if ((error = aside(call_sync))) {
		found_as(f, DOCTOR_LIMITED, "no membarrier for code (%s): a "
			 "page is mapped and unmapped when markers are "
			 "switched", failure_text(text, error));
		found_remedy(f, "Linux 4.16 or later");
	} else {
		found_as(f, DOCTOR_OK, "membarrier works");
	}
}

static int call_madvise(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return errno;
	return madvise(page, 4096, MADV_WIPEONFORK) ? errno : 0;
}

void look_madvise(struct doctor *d, struct finding *f)
{
	(void)d;
	found_call(f, call_madvise, "MADV_WIPEONFORK", DOCTOR_NO,
		   "the agent stays off");
	if (f->state == DOCTOR_NO && !f->remedy[0])
		found_remedy(f, "Linux 4.14 or later");
}

/* Closes a number that is not open. */
static int call_close_range(void)
{
	return sys3(SYS_close_range, ~0u, ~0u, CLOSE_RANGE_UNSHARE) ? ENOSYS :
								      0;
}

void look_close_range(struct doctor *d, struct finding *f)
{
	(void)d;
	found_call(f, call_close_range, "close_range", DOCTOR_LIMITED,
		   "the agent closes descriptors one by one");
}

static int call_pidfd(void)
{
	return (int)sys2(SYS_pidfd_open, getpid(), 0) < 0 ? ENOSYS : 0;
}

void look_pidfd(struct doctor *d, struct finding *f)
{
	(void)d;
	found_call(f, call_pidfd, "pidfd_open", DOCTOR_LIMITED,
		   "processes are followed by their numbers");
}

static int call_memfd(void)
{
	return memfd_create("taffrail", MFD_CLOEXEC) < 0 ? errno : 0;
}

void look_memfd(struct doctor *d, struct finding *f)
{
	(void)d;
	found_call(f, call_memfd, "memfd_create", DOCTOR_LIMITED,
		   "attach is refused for processes of another mount "
		   "namespace");
}

static int call_memory(void)
{
	char from = 1, to = 0;
	struct iovec here = { &to, 1 }, there = { &from, 1 };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) < 0 ? errno :
									0;
}

void look_memory(struct doctor *d, struct finding *f)
{
	(void)d;
	found_call(f, call_memory, "process_vm_readv", DOCTOR_LIMITED,
		   "attach is refused, and gdb collects only the stack and "
		   "the program's own memory");
}

/* Says why the clock is not the TSC. */
static void found_no_tsc(struct finding *f, const char *wanted)
{
	char source[64];

	if (wanted && !strcmp(wanted, "monotonic")) {
		found_as(f, DOCTOR_LIMITED, "CLOCK_MONOTONIC, as TAFFRAIL_CLOCK "
			 "says: each event is written under a lock");
		found_remedy(f, "unset TAFFRAIL_CLOCK");
		return;
	}
	found_as(f, DOCTOR_LIMITED, "CLOCK_MONOTONIC, because %s (clock source "
		 "%s): each event is written under a lock",
		 clock_tsc_invariant() ? "the kernel does not keep time with "
					 "the time stamp counter" :
					 "the processor's time stamp counter "
					 "is not invariant",
		 first_line(source, sizeof(source), CLOCKSOURCE));
}

void look_clock(struct doctor *d, struct finding *f)
{
	const char *wanted = getenv("TAFFRAIL_CLOCK");
	int tsc = PR_TSC_ENABLE;

	(void)d;
	if (!prctl(PR_GET_TSC, &tsc) && tsc == PR_TSC_SIGSEGV) {
		found_as(f, DOCTOR_NO, "this process may not read the time "
			 "stamp counter (PR_SET_TSC), nor may its children: "
			 "the agent stays off");
		return;
	}
	switch (clock_select(wanted)) {
	case CLOCK_KIND_TSC:
		found_as(f, DOCTOR_OK, "time stamp counter, %llu MHz",
			 (unsigned long long)clock_hz() / 1000000);
		break;
	case CLOCK_KIND_ATOMIC:
		found_as(f, DOCTOR_LIMITED, "a counter, as TAFFRAIL_CLOCK says: "
			 "events have an order and no time");
		found_remedy(f, "unset TAFFRAIL_CLOCK");
		break;
	default:
		found_no_tsc(f, wanted);
	}
}
