/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libc's functions by which a thread changes namespaces, capabilities, Landlock
 * domain and seccomp filters.
 *
 * Namespaces: the service thread ends before the call. After it, the thread
 * begins again in the program's new namespace. The kernel requires this: only a
 * process of one thread may change the user namespace, and only a thread that
 * shares directories (CLONE_FS) with no other may change the mount namespace.
 *
 * Landlock: the same, because no system call gives a thread the domain of
 * another one.
 *
 * Filters: the service thread ends and does not begin again, because a filter
 * may kill the process for its system calls. seccomp's strict mode and
 * prctl(PR_SET_TSC) forbid the time stamp counter as well, to the calling
 * thread and to threads that it makes; so the sessions end before.
 *
 * Syscall user dispatch: the same as for a filter, as the program's handler
 * would get the system calls that the agent makes in this thread. They end when
 * the program switches the dispatch off.
 */
#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "agent/fork.h"
#include "agent/leave.h"
#include "base/sys.h"
#include "control/service/wakeup.h"

#define PUBLIC	__attribute__((weak, visibility("default")))

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH	59	/* Linux 5.11 */
#define PR_SYS_DISPATCH_OFF		0
#endif
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME	0x80
#endif
#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self	446
#endif

/* Namespaces that only children enter. Afterwards no thread can be made, so a
 * service thread that is there stays. */
#define FOR_CHILDREN	(CLONE_NEWPID | CLONE_NEWTIME)
/* Flags that concern nothing which the agent's threads share. */
#define NOT_SHARED	(CLONE_FILES | CLONE_SYSVSEM)

int capset(cap_user_header_t head, const cap_user_data_t data);
long confine_seccomp(long operation, long flags, void *args);
long confine_prctl(long option, long a, long b, long c, long d);
void confine_needs_files(long number);
long confine_landlock(long ruleset, long flags);

static int ret_errno(long ret)
{
	if (ret >= 0)
		return (int)ret;
	errno = (int)-ret;
	return -1;
}

PUBLIC int unshare(int flags)
{
	int begun = 0;
	long ret;

	if (flags & ~(FOR_CHILDREN | NOT_SHARED))
		begun = leave_begin();
	else if (flags & FOR_CHILDREN)
		leave_prepare();
	ret = sys1(SYS_unshare, flags);
	leave_end(begun);
	return ret_errno(ret);
}

PUBLIC int setns(int fd, int type)
{
	int begun = 0;
	long ret;

	if (type == CLONE_NEWPID)
		leave_prepare();
	else
		begun = leave_begin();
	ret = sys2(SYS_setns, fd, type);
	leave_end(begun);
	return ret_errno(ret);
}

/* Capabilities belong to one thread; the service thread follows the first. */
PUBLIC int capset(cap_user_header_t head, const cap_user_data_t data)
{
	long ret;

	fork_need_files();
	ret = sys2(SYS_capset, head, data);

	if (!ret && wakeup_here() && sys_gettid() == sys_getpid())
		wakeup_rights();
	return ret_errno(ret);
}

static long filter_set(int clockless, long number, long a, long b, long c,
		       long d, long e)
{
	int confined = leave_confine(clockless);
	long ret = sys5(number, a, b, c, d, e);

	/* a number above 0 may be a failure (TSYNC), or a descriptor */
	if (ret < 0)
		leave_free(confined);
	return ret;
}

/* `mode` is the first of the arguments. */
static long dispatch_set(long mode, long a, long b, long c)
{
	int begun = mode == PR_SYS_DISPATCH_OFF ? 0 : leave_dispatch();
	long ret = sys5(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, mode, a, b, c);

	if (ret)
		leave_free(begun);
	else if (mode == PR_SYS_DISPATCH_OFF)
		leave_undispatch();
	else
		leave_dispatched(begun);
	return ret;
}

PUBLIC int prctl(int option, ...)
{
	long arg[4];
	va_list ap;

	/* reads the most arguments there can be, as libc's function does */
	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	return (int)confine_prctl(option, arg[0], arg[1], arg[2], arg[3]);
}

/* Makes the prctl(2) of prctl() and of syscall(). */
long confine_prctl(long option, long a, long b, long c, long d)
{
	if ((int)option == PR_SET_SECCOMP ||
	    ((int)option == PR_SET_TSC && a == PR_TSC_SIGSEGV))
		return ret_errno(filter_set((int)option == PR_SET_TSC ||
					    a == SECCOMP_MODE_STRICT,
					    SYS_prctl, option, a, b, c, d));
	if ((int)option == PR_SET_SYSCALL_USER_DISPATCH)
		return ret_errno(dispatch_set(a, b, c, d));
	/* after that, only root may trace it */
	if ((int)option == PR_SET_DUMPABLE)
		fork_need_files();
	return ret_errno(sys5(SYS_prctl, option, a, b, c, d));
}

/* Makes the seccomp(2) of syscall(). Operations 0 and 1 install a filter
 * (SECCOMP_SET_MODE_STRICT, SECCOMP_SET_MODE_FILTER). The kernel refuses the
 * first one with flags or arguments: libseccomp asks so whether there is the
 * system call, and the sessions must not end for that. */
long confine_seccomp(long operation, long flags, void *args)
{
	long ret;

	if ((operation == 0 && !(unsigned int)flags && !args) || operation == 1)
		ret = filter_set(operation == 0, SYS_seccomp, operation, flags,
				 (long)args, 0, 0);
	else
		ret = sys3(SYS_seccomp, operation, flags, args);
	if (ret >= 0)
		return ret;
	errno = (int)-ret;
	return -1;
}

/* Makes the files that a process has put off, before the system call of
 * syscall() that may take the right to make them. */
void confine_needs_files(long number)
{
	switch (number) {
	case SYS_setuid:
	case SYS_setgid:
	case SYS_setreuid:
	case SYS_setregid:
	case SYS_setresuid:
	case SYS_setresgid:
	case SYS_setfsuid:
	case SYS_setfsgid:
	case SYS_capset:
	case SYS_chroot:
	case SYS_pivot_root:
	case SYS_unshare:
	case SYS_setns:
	case SYS_setrlimit:
	case SYS_prlimit64:
		fork_need_files();
		break;
	default:
		break;
	}
}

/* Makes the landlock_restrict_self(2) of syscall(). */
long confine_landlock(long ruleset, long flags)
{
	int begun = leave_begin();
	long ret = sys2(SYS_landlock_restrict_self, ruleset, flags);

	if (!ret)
		leave_restricted();
	leave_end(begun);
	return ret_errno(ret);
}
