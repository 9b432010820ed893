/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * inject TID NUMBER ARGUMENT...: has a thread that waits in a system call make
 * another one, and prints its result. An argument is a number; =TEXT, the
 * address of a text; or @, the address of 64 zeros, of which the first number
 * is printed as well. "inject TID pkru" prints the thread's rights by protection
 * keys. The thread then goes on with its call.
 */
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#define BELOW	4096	/* the stack there is not in use */
#define ROOM	64
#define PKRU_AT	2688	/* in an area without compaction, as ptrace gives it */

static int failed(const char *what)
{
	perror(what);
	return 1;
}

static int stopped(pid_t tid)
{
	int status;

	return waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status);
}

static int poke(pid_t tid, unsigned long at, const char bytes[ROOM])
{
	long word;
	int i;

	for (i = 0; i < ROOM; i += (int)sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		if (ptrace(PTRACE_POKEDATA, tid, at + (unsigned)i, word))
			return -1;
	}
	return 0;
}

static int show_pkru(pid_t tid)
{
	static uint8_t area[16384];
	struct iovec iov = { area, sizeof(area) };
	uint32_t pkru;

	if (ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, &iov))
		return failed("xstate");
	if (iov.iov_len < PKRU_AT + sizeof(pkru)) {
		puts("none");
		return 0;
	}
	memcpy(&pkru, area + PKRU_AT, sizeof(pkru));
	printf("%#x\n", pkru);
	return 0;
}

static int inject(pid_t tid, int argc, char **argv)
{
	struct user_regs_struct before, regs;
	unsigned long value[6] = { 0 }, at, out = 0;
	char bytes[ROOM];
	long ret;
	int i;

	if (ptrace(PTRACE_GETREGS, tid, 0, &before))
		return failed("registers");
	regs = before;
	for (i = 1; i < argc && i < 7; i++) {
		value[i - 1] = strtoul(argv[i], NULL, 0);
		if (*argv[i] != '=' && *argv[i] != '@')
			continue;
		at = (before.rsp - BELOW - (unsigned)i * ROOM) & ~15ul;
		memset(bytes, 0, sizeof(bytes));
		if (*argv[i] == '=')
			strncpy(bytes, argv[i] + 1, ROOM - 1);
		else
			out = at;
		if (poke(tid, at, bytes))
			return failed("memory");
		value[i - 1] = at;
	}
	/* the instruction that it is in is a system call */
	regs.rip -= 2;
	regs.rax = strtoul(argv[0], NULL, 0);
	regs.orig_rax = -1ul;
	regs.rdi = value[0];
	regs.rsi = value[1];
	regs.rdx = value[2];
	regs.r10 = value[3];
	regs.r8 = value[4];
	regs.r9 = value[5];
	if (ptrace(PTRACE_SETREGS, tid, 0, &regs) ||
	    ptrace(PTRACE_SINGLESTEP, tid, 0, 0) || stopped(tid) ||
	    ptrace(PTRACE_GETREGS, tid, 0, &regs))
		return failed("step");
	ret = (long)regs.rax;
	printf("%ld", ret);
	if (out)
		printf(" %d", (int)ptrace(PTRACE_PEEKDATA, tid, out, 0));
	putchar('\n');
	return ptrace(PTRACE_SETREGS, tid, 0, &before) ? failed("back") : 0;
}

int main(int argc, char **argv)
{
	pid_t tid = argc > 2 ? atoi(argv[1]) : 0;
	int ret;

	if (tid <= 0)
		return 2;
	if (ptrace(PTRACE_SEIZE, tid, 0, 0) ||
	    ptrace(PTRACE_INTERRUPT, tid, 0, 0) || stopped(tid))
		return failed("stop");
	ret = strcmp(argv[2], "pkru") ? inject(tid, argc - 2, argv + 2) :
					show_pkru(tid);
	if (ptrace(PTRACE_DETACH, tid, 0, 0))
		return failed("detach");
	return ret;
}
