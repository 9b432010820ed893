/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libc's functions that change the ids of a process. libc changes each thread
 * that it knows. The service thread, which libc does not know, follows before
 * they return.
 *
 * In the shared library only: a static program's libc has no other names for
 * the functions, by which they could still be called. There the service thread
 * compares the rights at the next call of a command.
 */
#include <errno.h>
#include <grp.h>
#include <unistd.h>

#include "agent/leave.h"
#include "agent/wrap/private.h"
#include "base/base.h"
#include "control/service/wakeup.h"

#define PUBLIC	__attribute__((weak, visibility("default")))

enum {
	SETUID, SETEUID, SETREUID, SETRESUID,
	SETGID, SETEGID, SETREGID, SETRESGID,
	SETGROUPS, INITGROUPS, FUNCTIONS,
};

/* No pointers: each would take a relocation. */
static const char names[FUNCTIONS][12] = {
	[SETUID] = "setuid", [SETEUID] = "seteuid", [SETREUID] = "setreuid",
	[SETRESUID] = "setresuid", [SETGID] = "setgid",
	[SETEGID] = "setegid", [SETREGID] = "setregid",
	[SETRESGID] = "setresgid", [SETGROUPS] = "setgroups",
	[INITGROUPS] = "initgroups",
};

static void *functions[FUNCTIONS] EARLY;


__attribute__((constructor(102))) static void setid_start(void)
{
	for (int i = 0; i < FUNCTIONS; i++)
		next_setup(&functions[i], names[i]);
}

static int ids_changed(int ret)
{
	if (!ret)
		wakeup_rights();
	return ret;
}

static int call_missing(void)
{
	errno = ENOSYS;
	return -1;
}

#define CALL(which, parameters, ...)                                      \
	({                                                                \
		int (*libc) parameters =                                  \
			next_function(&functions[which], names[which]);   \
		libc ? ids_changed(libc(__VA_ARGS__)) : call_missing();   \
	})

PUBLIC int setuid(uid_t uid)
{
	leave_prepare_user(uid);
	return CALL(SETUID, (uid_t), uid);
}

PUBLIC int seteuid(uid_t uid)
{
	leave_prepare_user(uid);
	return CALL(SETEUID, (uid_t), uid);
}

PUBLIC int setreuid(uid_t real, uid_t effective)
{
	leave_prepare_user(effective);
	return CALL(SETREUID, (uid_t, uid_t), real, effective);
}

PUBLIC int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	leave_prepare_user(effective);
	return CALL(SETRESUID, (uid_t, uid_t, uid_t), real, effective, saved);
}

PUBLIC int setgid(gid_t gid)
{
	return CALL(SETGID, (gid_t), gid);
}

PUBLIC int setegid(gid_t gid)
{
	return CALL(SETEGID, (gid_t), gid);
}

PUBLIC int setregid(gid_t real, gid_t effective)
{
	return CALL(SETREGID, (gid_t, gid_t), real, effective);
}

PUBLIC int setresgid(gid_t real, gid_t effective, gid_t saved)
{
	return CALL(SETRESGID, (gid_t, gid_t, gid_t), real, effective, saved);
}

PUBLIC int setgroups(size_t n, const gid_t *list)
{
	return CALL(SETGROUPS, (size_t, const gid_t *), n, list);
}

PUBLIC int initgroups(const char *user, gid_t group)
{
	return CALL(INITGROUPS, (const char *, gid_t), user, group);
}
