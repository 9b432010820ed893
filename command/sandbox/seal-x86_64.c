/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The system calls of a sealed child. See child_seal() in child.h. Facts:
 * seccomp(2); numbers of calls are the machine's, so the filter asks for it
 * first: a process may also make calls of 32 bits.
 *
 * A call that is not listed fails with EPERM; it does not end the child, as
 * another libc may try calls that it can do without.
 */
#include "command/sandbox/child.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/base.h"
#include "base/sys.h"

static const int allowed[] = {
	SYS_sendmsg, SYS_recvmsg, SYS_close,
	/* memory, and the files that came as descriptors */
	SYS_mmap, SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise,
	/* the limit of each request */
	SYS_setitimer, SYS_clock_gettime, SYS_rt_sigaction, SYS_rt_sigprocmask,
	SYS_futex, SYS_getrandom, SYS_restart_syscall,
	SYS_exit, SYS_exit_group,
};

bool child_seal(void)
{
	struct sock_filter code[2 * ARRAY_SIZE(allowed) + 5];
	struct sock_fprog program = { .filter = code };
	unsigned short n = 0;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		offsetof(struct seccomp_data, arch));
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
		AUDIT_ARCH_X86_64, 1, 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
		SECCOMP_RET_KILL_PROCESS);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[i], 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
			SECCOMP_RET_ALLOW);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
		SECCOMP_RET_ERRNO | EPERM);
	program.len = n;
	/* Without libc: where this command is recorded itself, an agent that
	 * sees the call makes the child's files, which the limits forbid. */
	return !sys3(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
		     (long)&program);
}
