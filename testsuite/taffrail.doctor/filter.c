/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * filter NAME PROGRAM ARGS...: becomes PROGRAM, under a seccomp filter that
 * kills for the call NAME of the table, or for none.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned int number;
} calls[] = {
	{ "none", ~0u },
	{ "membarrier", SYS_membarrier },
	{ "memfd_create", SYS_memfd_create },
	{ "mkdir", SYS_mkdir },
	{ "process_vm_readv", SYS_process_vm_readv },
	{ "ptrace", SYS_ptrace },
};

static int install(unsigned int number)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		sizeof(code) / sizeof(code[0]), code
	};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc > 2 && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(calls[i].name, argv[1])) {
			if (install(calls[i].number))
				return 99;
			execvp(argv[2], argv + 2);
		}
	fprintf(stderr, "no such call or program\n");
	return 98;
}
