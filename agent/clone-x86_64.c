/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * clone(2), as libc's function, for a process whose writers use rseq.
 *
 * A thread or child that shares our memory and brings no thread pointer of
 * its own reads the CPU number of the thread that made it, and is registered
 * with rseq nowhere: two would write to one ring at a time. So the thread
 * that makes it is unregistered: both find the CPU number -1 and go to the
 * locked rings. For as long as the other may live, which after CLONE_VFORK
 * is over when clone() returns, and else for good.
 *
 * libc itself calls another name of this function, and keeps the rules.
 */
#include <sched.h>
#include <stdarg.h>

#include "agent/agent.h"
#include "buffers/sys.h"
#include "buffers/write-x86_64.h"
#include "buffers/write.h"

int __clone(int (*fn)(void *), void *stack, int flags, void *arg, ...);

/* Returns 0 when this thread was registered, and is no more. */
static long rseq_leave(void)
{
	char *rseq = (char *)__builtin_thread_pointer() + rseq_offset;

	if (!agent_cpus || !rseq_offset)
		return -1;
	return sys4(SYS_rseq, rseq, rseq_bytes, RSEQ_UNREGISTER,
		    RSEQ_SIGNATURE);
}

__attribute__((weak, visibility("default")))
int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
	int shares = (flags & CLONE_VM) && !(flags & CLONE_SETTLS);
	long left = shares ? rseq_leave() : -1;
	void *more[3];
	va_list ap;
	int ret;

	/* libc's own takes three, whether they were given or not */
	va_start(ap, arg);
	more[0] = va_arg(ap, void *);
	more[1] = va_arg(ap, void *);
	more[2] = va_arg(ap, void *);
	va_end(ap);
	ret = __clone(fn, stack, flags, arg, more[0], more[1], more[2]);
	if (!left && (ret < 0 || flags & CLONE_VFORK))
		write_rseq_register(__builtin_thread_pointer());
	return ret;
}
