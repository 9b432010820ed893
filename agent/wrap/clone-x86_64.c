/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * clone(2), as libc's function, for a process whose writers use rseq.
 *
 * A thread or child that shares the memory and gets no new thread pointer is a
 * guest (guest.c) as long as it may live: with CLONE_VFORK until clone()
 * returns, otherwise without an end.
 *
 * libc itself calls another name of this function, and needs no help.
 */
#include <sched.h>
#include <stdarg.h>

#include "control/threads/guest.h"

int __clone(int (*fn)(void *), void *stack, int flags, void *arg, ...);

__attribute__((weak, visibility("default")))
int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
	int shares = (flags & CLONE_VM) && !(flags & CLONE_SETTLS);
	long begun = shares ? guest_begin() : 0;
	void *more[3];
	va_list ap;
	int ret;

	/* libc's function reads three, whether they were passed or not */
	va_start(ap, arg);
	more[0] = va_arg(ap, void *);
	more[1] = va_arg(ap, void *);
	more[2] = va_arg(ap, void *);
	va_end(ap);
	ret = __clone(fn, stack, flags, arg, more[0], more[1], more[2]);
	if (ret < 0 || flags & CLONE_VFORK)
		guest_end(begun);
	return ret;
}
