/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * older SET[,SET...] PROGRAM ARGS...: becomes PROGRAM, under a seccomp filter
 * that answers as an older kernel does: ENOSYS for a missing system call,
 * EINVAL for an unknown flag or command. A SET is
 *
 *	4.18, 5.14	everything that came after mainline's kernel of that
 *			number
 *	NAME		one row of the table below
 *	no-ptrace	EPERM for all calls by which one process traces another,
 *			as with kernel.yama.ptrace_scope 3
 *	no-text		EIO for writing into memory above 4 GiB by pwrite64, as
 *			if /proc/self/mem did not override protections
 *
 * older --names prints the names of the rows.
 *
 * What must stay true: the filter only depends on the system call's number and
 * the low half of one argument.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ANY		0, 0, 0, 0	/* whatever the arguments are */
#define NEVER		0		/* in no kernel's set */
#define INSTRUCTIONS	1024

#define SINCE(major, minor)	((major) * 100 + (minor))

/* Refused where an argument's low half (or, of `no-text`, its high half) has
 * one of the bits of `mask`, or all of `value` under a `mask`. */
struct row {
	const char *name;
	int call;
	int number;		/* the word of the arguments, from 0 */
	int compare;		/* BPF_JSET or BPF_JEQ; 0: any */
	uint32_t mask;
	uint32_t value;
	int since;
	int error;
};

#define LOW(argument)	(2 * (argument))
#define HIGH(argument)	(2 * (argument) + 1)
#define BITS(word, bits) word, BPF_JSET, bits, 0
#define IS(word, value)	word, BPF_JEQ, ~0u, value

/* Calls are given by number if the headers may be older than the call. */
static const struct row rows[] = {
	{ "memfd_create", 319, ANY, SINCE(3, 17), ENOSYS },
	{ "membarrier", 324, ANY, SINCE(4, 3), ENOSYS },
	{ "peergroups", SYS_getsockopt, IS(LOW(2), 59), SINCE(4, 13),
	  ENOPROTOOPT },
	{ "membarrier-sync-core", 324, BITS(LOW(0), 32 | 64), SINCE(4, 16),
	  EINVAL },
	{ "madvise-wipeonfork", 28, IS(LOW(2), 18), SINCE(4, 14), EINVAL },
	{ "rseq", 334, ANY, SINCE(4, 18), ENOSYS },
	{ "pidfd_send_signal", 424, ANY, SINCE(5, 1), ENOSYS },
	{ "pidfd_open", 434, ANY, SINCE(5, 3), ENOSYS },
	{ "clone3", 435, ANY, SINCE(5, 3), ENOSYS },
	{ "openat2", 437, ANY, SINCE(5, 6), ENOSYS },
	{ "pidfd_getfd", 438, ANY, SINCE(5, 6), ENOSYS },
	{ "faccessat2", 439, ANY, SINCE(5, 8), ENOSYS },
	{ "close_range", 436, ANY, SINCE(5, 9), ENOSYS },
	{ "close_range-unshare", 436, BITS(LOW(2), 2), SINCE(5, 9), EINVAL },
	{ "close_range-cloexec", 436, BITS(LOW(2), 4), SINCE(5, 11), EINVAL },
	{ "process_madvise", 440, ANY, SINCE(5, 10), ENOSYS },
	{ "membarrier-rseq", 324, BITS(LOW(0), 128 | 256), SINCE(5, 10),
	  EINVAL },
	{ "epoll_pwait2", 441, ANY, SINCE(5, 11), ENOSYS },
	{ "ptrace-dispatch", SYS_ptrace, IS(LOW(0), 0x4211), SINCE(6, 4), EIO },
	{ "madvise-populate-read", 28, IS(LOW(2), 22), SINCE(5, 14), EINVAL },
	{ "madvise-populate-write", 28, IS(LOW(2), 23), SINCE(5, 14), EINVAL },
	{ "process_mrelease", 448, ANY, SINCE(5, 15), ENOSYS },
	{ "futex_waitv", 449, ANY, SINCE(5, 16), ENOSYS },
	{ "prctl-vma-name", 157, IS(LOW(0), 0x53564d41), SINCE(5, 17),
	  EINVAL },
	{ "cachestat", 451, ANY, SINCE(6, 5), ENOSYS },
	{ "fchmodat2", 452, ANY, SINCE(6, 6), ENOSYS },
	{ "map_shadow_stack", 453, ANY, SINCE(6, 6), ENOSYS },
	{ "futex2", 454, ANY, SINCE(6, 7), ENOSYS },
	{ "statmount", 457, ANY, SINCE(6, 8), ENOSYS },
	{ "mseal", 462, ANY, SINCE(6, 10), ENOSYS },
	{ "sched_setattr", 314, ANY, SINCE(6, 12), EINVAL },
	{ "madvise-guard", 28, IS(LOW(2), 102), SINCE(6, 13), EINVAL },
};

static const struct row others[] = {
	{ "no-ptrace", SYS_ptrace, ANY, NEVER, EPERM },
	{ "no-ptrace", SYS_process_vm_readv, ANY, NEVER, EPERM },
	{ "no-ptrace", SYS_process_vm_writev, ANY, NEVER, EPERM },
	{ "no-ptrace", SYS_process_madvise, ANY, NEVER, EPERM },
	{ "no-ptrace", SYS_pidfd_getfd, ANY, NEVER, EPERM },
	{ "no-ptrace", SYS_kcmp, ANY, NEVER, EPERM },
	{ "no-text", SYS_pwrite64, BITS(HIGH(3), ~0u), NEVER, EIO },
};

#define COUNT(rows)	(sizeof(rows) / sizeof((rows)[0]))

static struct sock_filter code[INSTRUCTIONS];
static unsigned int length;

static void add(uint16_t what, uint32_t k, uint8_t yes, uint8_t no)
{
	if (length < INSTRUCTIONS)
		code[length++] = (struct sock_filter)BPF_JUMP(what, k, yes, no);
}

/* Leaves the number in the accumulator for the next row. */
static void row_add(const struct row *row)
{
	uint32_t number = offsetof(struct seccomp_data, nr);
	uint32_t at = (uint32_t)offsetof(struct seccomp_data, args) +
		      4 * (uint32_t)row->number;

	if (!row->compare) {
		add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)row->call, 0, 1);
		add(BPF_RET | BPF_K,
		    SECCOMP_RET_ERRNO | (uint32_t)row->error, 0, 0);
		return;
	}
	add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)row->call, 0, 4);
	add(BPF_LD | BPF_W | BPF_ABS, at, 0, 0);
	add((uint16_t)(BPF_JMP | row->compare | BPF_K),
	    row->compare == BPF_JEQ ? row->value : row->mask, 0, 1);
	add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)row->error, 0, 0);
	add(BPF_LD | BPF_W | BPF_ABS, number, 0, 0);
}

/* Returns how many rows the word selects. */
static int set_add(const char *word)
{
	int major, minor, end = 0;
	int kernel = sscanf(word, "%d.%d%n", &major, &minor, &end) == 2 &&
				     !word[end] ?
			     SINCE(major, minor) :
			     0;
	int n = 0;

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (kernel ? rows[i].since <= kernel :
			     strcmp(rows[i].name, word))
			continue;
		row_add(&rows[i]);
		n++;
	}
	for (size_t i = 0; !kernel && i < COUNT(others); i++) {
		if (strcmp(others[i].name, word))
			continue;
		row_add(&others[i]);
		n++;
	}
	return n;
}

static int names_print(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		puts(rows[i].name);
	return 0;
}

int main(int argc, char **argv)
{
	struct sock_fprog program = { 0, code };
	char *word;

	if (argc == 2 && !strcmp(argv[1], "--names"))
		return names_print();
	if (argc < 3)
		return 125;
	add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	for (word = strtok(argv[1], ","); word; word = strtok(NULL, ","))
		if (!set_add(word)) {
			fprintf(stderr, "older: no set %s\n", word);
			return 125;
		}
	add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	program.len = (unsigned short)length;
	if (length == INSTRUCTIONS ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		perror("older");
		return 126;
	}
	/* the filter never kills, so let the agent start */
	setenv("TAFFRAIL_SECCOMP", "trust", 1);
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
