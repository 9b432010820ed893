/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Other CPUs learn that code has changed (tracepoints/program/patch.h), by each
 * way that a kernel may offer. Each way is tried in a child, under a seccomp
 * filter.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracepoints/program/patch.h"

/* Makes calls of both numbers fail from here on. */
static int refuse(uint32_t first, uint32_t second)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Returns patch_sync()'s error without these calls, as a positive errno. */
static int sync_without(uint32_t first, uint32_t second)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(refuse(first, second) ? 255 : -patch_sync());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
	patch_setup();
	unit_equal(patch_sync(), 0, "with membarrier");
	unit_equal(sync_without(SYS_membarrier, SYS_membarrier), 0,
		   "without");
	unit_equal(sync_without(SYS_membarrier, SYS_mmap), ENOSYS,
		   "without memory, too: it says so");
	unit_equal(sync_without(SYS_membarrier, SYS_munmap), ENOSYS,
		   "memory that does not go: it says so");
	return unit_end();
}
