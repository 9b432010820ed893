/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libc's functions after which a process may no longer make its files: it has
 * another root directory, too few descriptors, or may not write to files. Files
 * that a session may still need are made before.
 */
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/fork.h"
#include "agent/leave.h"
#include "base/sys.h"

#define PUBLIC	__attribute__((weak, visibility("default")))

/* With so few descriptors, the agent's threads may have none. */
#define FILES_FEW	16

static int ret_errno(long ret)
{
	if (ret >= 0)
		return (int)ret;
	errno = (int)-ret;
	return -1;
}

PUBLIC int chroot(const char *path)
{
	leave_prepare();
	return ret_errno(sys1(SYS_chroot, path));
}

static int limit_set(pid_t pid, unsigned int resource,
		     const struct rlimit *limits, void *former)
{
	/* Of this process or another: files are only made early. Programs raise
	 * the limit of the stack as they begin. */
	if (limits && resource != RLIMIT_STACK && resource != RLIMIT_CORE)
		fork_need_files();
	/* Another way to name this process would take another system call,
	 * which a filter may forbid. This one reads the limits, and finds no
	 * such resource. */
	if (!pid && (resource == RLIMIT_NOFILE || resource == RLIMIT_FSIZE) &&
	    sys4(SYS_prlimit64, 0, UINT32_MAX, limits, NULL) == -EINVAL &&
	    limits && limits->rlim_cur < (resource == RLIMIT_NOFILE ?
					  FILES_FEW : RLIM_INFINITY))
		leave_prepare();
	return ret_errno(sys4(SYS_prlimit64, pid, resource, limits, former));
}

/* Both names of each have the same structure on 64-bit machines. */
PUBLIC int setrlimit(__rlimit_resource_t resource, const struct rlimit *limits)
{
	return limit_set(0, resource, limits, NULL);
}

PUBLIC int setrlimit64(__rlimit_resource_t resource,
		       const struct rlimit64 *limits)
{
	return limit_set(0, resource, (const struct rlimit *)limits, NULL);
}

PUBLIC int prlimit(pid_t pid, enum __rlimit_resource resource,
		   const struct rlimit *limits, struct rlimit *former)
{
	return limit_set(pid, resource, limits, former);
}

PUBLIC int prlimit64(pid_t pid, enum __rlimit_resource resource,
		     const struct rlimit64 *limits, struct rlimit64 *former)
{
	return limit_set(pid, resource, (const struct rlimit *)limits, former);
}
