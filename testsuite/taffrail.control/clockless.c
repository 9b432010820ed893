/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that gives up the time stamp counter: by seccomp's strict mode, or
 * by prctl(PR_SET_TSC), which a program that it executes inherits.
 *
 *	clockless strict | seccomp | tsc | exec | denied | asked | held
 *	clockless filtered | refused | forked | dispatched
 *	clockless cpuid | cpuid-held
 *
 * Writes 100 events before and 100 after, and prints "right". "held" does as
 * "tsc", and waits for the end of its input after that. "asked" does as
 * libseccomp, which asks whether there is the system call. "filtered" and the
 * next are under a seccomp filter from the first of their events on; it refuses
 * the call in "refused", and in "forked" a child does the rest. "dispatched" has
 * its system calls dispatched, and lets all pass. "cpuid" forbids itself CPUID,
 * and a child does the rest; "cpuid-held" says so and waits as "held" does.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

static void steps(int from)
{
	int n;

	for (n = from; n < from + 100; n++)
		TAFFRAIL_EVENT(app, step, TAFFRAIL_FIELD(steps, n));
}

/* Installs a filter that allows all calls, or refuses PR_SET_TSC. */
static int filter_install(int refuses)
{
	struct sock_filter code[] = {
		{ BPF_LD | BPF_W | BPF_ABS, 0, 0,
		  offsetof(struct seccomp_data, nr) },
		{ BPF_JMP | BPF_JEQ | BPF_K, 0, 3, SYS_prctl },
		{ BPF_LD | BPF_W | BPF_ABS, 0, 0,
		  offsetof(struct seccomp_data, args[0]) },
		{ BPF_JMP | BPF_JEQ | BPF_K, 0, 1, PR_SET_TSC },
		{ BPF_RET | BPF_K, 0, 0,
		  refuses ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW },
		{ BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW },
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#ifndef ARCH_SET_CPUID
#define ARCH_SET_CPUID	0x1012
#endif
#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH	59
#endif

static int dispatch(void)
{
	static char allow;

	return prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &allow);
}

static long give_up(const char *way)
{
	if (!strcmp(way, "refused"))
		return filter_install(1) || !prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	if (!strcmp(way, "dispatched") && dispatch())
		return -1;
	if ((!strcmp(way, "filtered") || !strcmp(way, "forked")) && filter_install(0))
		return -1;
	if (!strncmp(way, "cpuid", 5) &&
	    syscall(SYS_arch_prctl, ARCH_SET_CPUID, 0))
		_exit(77);
	if (!strcmp(way, "cpuid-held"))
		return 0;
	if ((!strcmp(way, "forked") || !strcmp(way, "cpuid")) && fork()) {
		int status = 1;

		wait(&status);
		_exit(status ? 6 : 0);
	}
	if (!strcmp(way, "cpuid"))
		return 0;
	if (!strcmp(way, "strict"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (!strcmp(way, "seccomp"))
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
	if (!strcmp(way, "denied"))	/* no such mode: nothing is given up */
		return prctl(PR_SET_TSC, 7) ? 0 : -1;
	if (!strcmp(way, "asked"))	/* refused: there are flags */
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) ?
			       0 : -1;
	return prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
}

int main(int argc, char **argv)
{
	static const char text[] = "right\n";
	const char *way = argc > 1 ? argv[1] : "";
	char c;

	steps(0);
	if (strcmp(way, "again") && give_up(way))
		return 2;
	if (!strcmp(way, "exec")) {
		execl("/proc/self/exe", argv[0], "again", (char *)NULL);
		return 3;
	}
	steps(100);
	if (write(1, text, sizeof(text) - 1) < 0)
		return 4;
	if (strstr(way, "held") && read(0, &c, 1))
		return 5;
	/* what strict mode allows */
	if (way[0] == 's')
		syscall(SYS_exit, 0);
	return 0;
}
