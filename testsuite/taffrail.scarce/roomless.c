/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Asks for limits that cannot be read, which is an error and no fault. Then
 * executes itself ROUNDS times, one process after the other. Each process may
 * make only small files, so no rings, and emits ten events. Half of the
 * processes end with _exit(), the others with exit().
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

#define EVENTS	10

static void emit(int way)
{
	int n;

	for (n = 0; n < EVENTS; n++)
		TAFFRAIL_EVENT(app, hit, n);
	if (way)
		_exit(0);
	exit(0);
}

static int is_fault(int ret)
{
	return ret == -1 && errno == EFAULT;
}

/* Returns whether each call with limits at `p` says EFAULT. */
static int all_fault(const struct rlimit *p)
{
	return is_fault(setrlimit(RLIMIT_NOFILE, p)) &&
	       is_fault(setrlimit(RLIMIT_FSIZE, p)) &&
	       is_fault(syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, p, NULL));
}

int main(int argc, char **argv)
{
	struct rlimit small = { 24 << 10, 24 << 10 };
	int rounds = argc > 1 ? atoi(argv[1]) : 0;
	int i;

	if (argc > 2)
		emit(atoi(argv[2]));
	if (!all_fault(mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0)) ||
	    !all_fault((const void *)1))
		return 2;
	setrlimit(RLIMIT_FSIZE, &small);
	for (i = 0; i < rounds; i++) {
		if (!fork()) {
			execl(argv[0], argv[0], "0", i & 1 ? "1" : "0", NULL);
			_exit(127);
		}
		if (wait(NULL) < 0)
			return 1;
	}
	printf("%d\n", rounds * EVENTS);
	return 0;
}
