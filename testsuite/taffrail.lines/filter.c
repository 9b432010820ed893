/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program whose seccomp filter refuses process_vm_readv(2), by which the
 * agent reads memory of the heap: sells N times.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

struct item {
	int price;
	char name[8];
};

static int total;

__attribute__((noinline)) static void sell(struct item *item, int n)
{
	total += item->price;
	total -= n;
}

int main(int argc, char **argv)
{
	struct sock_filter rows[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { 4, rows };
	struct item *item = calloc(1, sizeof(*item));

	*item = (struct item){ 7, "pear" };
	sell(item, 1);
	if (argc > 1 &&
	    (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	     prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)))
		return 77;
	sell(item, argc > 1 ? atoi(argv[1]) : 2);
	return 0;
}
