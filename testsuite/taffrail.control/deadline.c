/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A thread that is SCHED_DEADLINE, in which the kernel lets clone(2) fail, and
 * perhaps an ordinary one:
 *	deadline first		the first thread is, and an ordinary one waits
 *	deadline second		the other way round
 *	deadline alone		there is one thread, and it is
 * The thread that is ends the program at the end of its input. Exits with 77
 * where no thread may be SCHED_DEADLINE.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <taffrail/marker.h>
#include <unistd.h>

#define MS	1000000ull

static const struct {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
} attributes = {
	.size = 48, .policy = 6, .runtime = 2 * MS, .deadline = 40 * MS,
	.period = 40 * MS,
};

static void *become(void *arg)
{
	int n;

	if (syscall(SYS_sched_setattr, 0, &attributes, 0))
		_exit(77);
	puts("ready");
	fflush(stdout);
	if (getchar() == 'h')
		for (n = 0; n < 10; n++)
			TAFFRAIL_EVENT(app, hit, n);
	exit(0);
	return arg;
}

static void *stay(void *arg)
{
	for (;;)
		pause();
	return arg;
}

int main(int argc, char **argv)
{
	int second = argc > 1 && !strcmp(argv[1], "second");
	int alone = argc > 1 && !strcmp(argv[1], "alone");
	pthread_t thread;

	if (!alone && pthread_create(&thread, NULL, second ? become : stay,
				     NULL))
		return 1;
	(second ? stay : become)(NULL);
	return 1;
}
