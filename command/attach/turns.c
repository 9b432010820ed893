/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sets how long a thread's turns of the scheduler are.
 */
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "command/attach/steps.h"

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
