/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The descriptors of the agent's threads (control/threads/thread.c): a thread
 * has none of the program's, also where the kernel has no close_range(2), and
 * where /proc is not there; and the program keeps all.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/sys.h"
#include "control/threads/thread.h"

#define OPEN		20

static int first, last;

/* Has the kernel refuse two calls, as an older one does that lacks them. */
static int calls_refuse(uint32_t one, uint32_t other)
{
	struct sock_filter rows[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, one, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	};
	struct sock_fprog filter = { ARRAY_SIZE(rows), rows };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/* Returns how many descriptors the calling thread has. */
static int descriptors_count(void *none)
{
	int n = 0;

	(void)none;
	for (int fd = 0; fd <= last; fd++)
		n += sys3(SYS_fcntl, fd, F_GETFD, 0) != -EBADF;
	return n;
}

static void test_thread(const char *name, uint32_t one, uint32_t other)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		int before = descriptors_count(NULL), in_thread;

		if (one && calls_refuse(one, other))
			_exit(3);
		in_thread = thread_run(descriptors_count, NULL);
		if (in_thread)
			fprintf(stderr, "%s: %d\n", name, in_thread);
		_exit(in_thread || descriptors_count(NULL) != before);
	}
	if (waitpid(pid, &status, 0) == pid && status == 3 << 8) {
		unit_skip(name, "no filter of system calls");
		return;
	}
	unit_equal(status, 0, "%s: a thread has no descriptor, the program all",
		   name);
}

int main(void)
{
	first = open("/dev/null", O_RDONLY);
	for (int i = 0; i < OPEN; i++)
		last = dup(first);
	unit_check(first > 2 && last >= first + OPEN, "descriptors");
	unit_equal(thread_setup(), 0, "stacks");
	test_thread("close_range", 0, 0);
	test_thread("without close_range", SYS_close_range, SYS_close_range);
	test_thread("without /proc", SYS_close_range, SYS_openat);
	return unit_end();
}
