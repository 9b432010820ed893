/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The system calls of a sealed child. See child_seal() in child.h. Facts:
 * seccomp(2); numbers of calls are the machine's, so the filter asks for it
 * first: a process may also make calls of 32 bits.
 *
 * A call that is not listed fails with EPERM; it does not end the child, as
 * another libc may try calls that it can do without. One that opens a path
 * raises SIGSYS, and the handler gives the result.
 */
#include "command/sandbox/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "base/base.h"
#include "base/sys.h"

static const int allowed[] = {
	SYS_sendmsg, SYS_recvmsg, SYS_close,
	/* memory, and the files that came as descriptors */
	SYS_mmap, SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise, SYS_fstat,
	/* the limit of each request */
	SYS_setitimer, SYS_clock_gettime, SYS_rt_sigaction, SYS_rt_sigprocmask,
	SYS_futex, SYS_getrandom, SYS_restart_syscall,
	SYS_rt_sigreturn, SYS_exit, SYS_exit_group,
};

static const int answered[] = { SYS_open, SYS_openat, SYS_newfstatat };

static int (*answer)(const char *path);

/* Gives the result of a call that opens a path, or asks for the state of a
 * descriptor (fstat(3) of libc since 2.33). */
static void call_answer(int number, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	const char *path = (const char *)r[info->si_syscall == SYS_open ?
						   REG_RDI : REG_RSI];

	if (info->si_syscall == SYS_newfstatat)
		r[REG_RAX] = *path ? -EPERM :
				     sys3(SYS_fstat, r[REG_RDI], r[REG_RDX], 0);
	else
		r[REG_RAX] = answer ? answer(path) : -EPERM;
}

bool child_seal(int (*open)(const char *path))
{
	struct sigaction action = { .sa_sigaction = call_answer,
				    .sa_flags = SA_SIGINFO };
	struct sock_filter code[2 * ARRAY_SIZE(allowed) +
				2 * ARRAY_SIZE(answered) + 5];
	struct sock_fprog program = { .filter = code };
	unsigned short n = 0;
	sigset_t set;

	answer = open;
	sigemptyset(&set);
	sigaddset(&set, SIGSYS);
	if (sigaction(SIGSYS, &action, NULL) ||
	    sigprocmask(SIG_UNBLOCK, &set, NULL))
		return false;
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
	for (size_t i = 0; i < ARRAY_SIZE(answered); i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)answered[i], 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
			SECCOMP_RET_TRAP);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
		SECCOMP_RET_ERRNO | EPERM);
	program.len = n;
	/* Without libc: where this command is recorded itself, an agent that
	 * sees the call makes the child's files, which the limits forbid. */
	return !sys3(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
		     (long)&program);
}
