/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The file system rights of a user. See user-rights.h.
 *
 * Invariant: the user is the kernel's word, never a process's;
 * without certainty that the rights are the user's, nothing may be opened.
 *
 * Facts (credentials(7), capabilities(7), setfsuid(2)): when the file system's
 * user becomes another one than root, the kernel takes the capabilities which
 * override modes out of the effective set, but for threads with the secure bit
 * NO_SETUID_FIXUP; it puts them back when the user becomes root. The calls
 * change the calling thread; libc's setgroups() would change all.
 */
#include "command/sandbox/user-rights.h"

#include <grp.h>
#include <linux/securebits.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NO_USER		((uid_t)-1)	/* asks for what is set */
#define NO_GROUP	((gid_t)65534)
#define GROUPS_FIRST	64

/* The groups of the user that was asked for last. They are kept, as a recording
 * has many processes of few users. */
static struct {
	uid_t uid;			/* root: none was */
	gid_t group;
	gid_t *groups;
	int n;
} user;

bool rights_take(struct rights *rights, uid_t uid)
{
	const struct passwd *entry;
	int n = GROUPS_FIRST, room;
	gid_t *more;

	*rights = (struct rights){ 0 };
	if (geteuid() || setfsuid(NO_USER) || !uid)
		return true;
	if (prctl(PR_GET_SECUREBITS) & SECBIT_NO_SETUID_FIXUP)
		return false;
	if (user.uid != uid) {
		user.uid = 0;
		user.n = 0;
		entry = getpwuid(uid);
		/* a user without an entry has no groups */
		user.group = entry ? entry->pw_gid : NO_GROUP;
		while (entry) {
			room = n;
			more = reallocarray(user.groups, (size_t)n,
					    sizeof(*more));
			if (!more)
				return false;
			user.groups = more;
			if (getgrouplist(entry->pw_name, entry->pw_gid,
					 user.groups, &n) < 0 && n > room)
				continue;
			user.n = n;
			break;
		}
		user.uid = uid;
	}
	/* the thread's own, for rights_give_back() */
	n = getgroups(0, NULL);
	if (n >= 0)
		rights->groups = malloc(((size_t)n + 1) *
					sizeof(*rights->groups));
	if (!rights->groups)
		return false;
	rights->ngroups = getgroups(n, rights->groups);
	rights->group = (gid_t)setfsgid(NO_USER);
	if (rights->ngroups != n ||
	    syscall(SYS_setgroups, (size_t)user.n, user.groups))
		return false;
	setfsgid(user.group);
	setfsuid(uid);
	return setfsuid(NO_USER) == (int)uid &&
	       setfsgid(NO_USER) == (int)user.group;
}

void rights_give_back(struct rights *rights)
{
	if (!rights->groups)
		return;
	setfsuid(0);
	setfsgid(rights->group);
	syscall(SYS_setgroups, (size_t)rights->ngroups, rights->groups);
	free(rights->groups);
	rights->groups = NULL;
}
