/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a thread may do: ids, groups, capabilities. The kernel keeps them for
 * each thread, and libc's setuid() changes only the threads that it knows.
 */
#ifndef CONTROL_THREADS_RIGHTS_H
#define CONTROL_THREADS_RIGHTS_H

#include <linux/capability.h>
#include <stdint.h>

#define RIGHTS_GROUPS_MAX	1024u

struct rights {
	uint32_t uid[3];	/* real, effective, saved */
	uint32_t gid[3];
	uint32_t ngroups;
	uint32_t groups[RIGHTS_GROUPS_MAX];
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];
};

/* The calling thread's. Returns 0, or a negative errno: -EINVAL when it has
 * more groups than there is room for. SIGSAFE. */
int rights_read(struct rights *rights);

/*
 * Gives the calling thread, one of the agent's own, these rights and no
 * others. Returns 0, or a negative errno when it has not got exactly them.
 * What the process is to core dumps (PR_SET_DUMPABLE) stays as it is.
 */
int rights_adopt(const struct rights *rights);

/*
 * Compares the calling thread, one of the agent's own, with the process's
 * first thread, and adopts what that has. Returns 0, or a negative errno: the
 * two are not alike, and a seccomp filter is one thing that cannot be adopted.
 * One caller at a time.
 */
int rights_follow(void);

#endif
