/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long a thread's turns of the scheduler's are.
 */
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command/attach/private.h"

/*
 * Kernels from 6.12 let who asks for short turns have them soon (EEVDF), which
 * is what a stop takes that is made of many short ones. Others do not look at
 * it. Its nice value stays, so that no rights are needed.
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
	/* one that was never set is not to be set now */
	if (!syscall(SYS_sched_getattr, getpid(), &usual, sizeof(usual), 0) &&
	    usual.runtime == before)
		before = 0;
	attr.size = sizeof(attr);
	attr.runtime = ns;
	syscall(SYS_sched_setattr, tid, &attr, 0);
	return before;
}
