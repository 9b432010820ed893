/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rights of a thread: ids, groups, capabilities. The kernel keeps them for
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

/* Reads the calling thread's rights. Returns 0, or a negative errno: -EINVAL
 * when it has more groups than there is room for. SIGSAFE. */
int rights_read(struct rights *rights);

/*
 * Gives the calling thread, which is one of the agent's, these rights and no
 * others. Returns 0, or a negative errno when the thread's rights afterwards
 * are not exactly these. Whether the process dumps core (PR_SET_DUMPABLE) stays
 * as it is.
 */
int rights_adopt(const struct rights *rights);

/*
 * Compares the calling thread, which is one of the agent's, with the process's
 * first thread, and adopts the rights of that one. Returns 0, or a negative
 * errno when the two still differ, for example by a seccomp filter, which
 * cannot be adopted. One caller at a time.
 */
int rights_follow(void);

#endif
