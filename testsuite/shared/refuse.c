/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that cannot have an agent: "refuse WORD" does what WORD says and
 * waits to be killed.
 */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* musl does not find the kernel's headers. */
#ifdef __GLIBC__
#include <linux/filter.h>
#include <linux/seccomp.h>

static int filter(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K,
					    SECCOMP_RET_ALLOW);
	struct sock_fprog program = { 1, &allow };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static int filter(void)
{
	return 1;
}
#endif

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "filter") && filter())
		return 1;
	if (argc > 1 && !strcmp(argv[1], "secret"))
		prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}
