/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens files with the rights of another user: a user's process cannot make
 * root read files that this user may not read.
 */
#ifndef COMMAND_SANDBOX_USER_RIGHTS_H
#define COMMAND_SANDBOX_USER_RIGHTS_H

#include <stdbool.h>
#include <sys/types.h>

/* The rights that a thread had before. */
struct rights {
	gid_t *groups;			/* NULL: it still has its own */
	int ngroups;
	gid_t group;
};

/*
 * Takes the file system rights of a user, with the groups that the user
 * database gives him: in this thread alone, and only if it has root's and the
 * user is another one. Returns false if they cannot be had. The caller gives
 * them back in both cases. Signals, limits and ptrace stay root's.
 */
bool rights_take(struct rights *rights, uid_t uid);
void rights_give_back(struct rights *rights);

#endif
