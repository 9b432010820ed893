/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Has the threads that the kernel makes for io_uring: one that polls the
 * submissions, without end, and workers, some of which wait for a pipe that
 * gets nothing. Waits in epoll_wait() for a line of input, then writes ten
 * events. Exits with 77 where the kernel allows no io_uring.
 */
#define _GNU_SOURCE
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <taffrail/marker.h>
#include <unistd.h>

#define ENTRIES	8

/* Submits blocking reads of the pipe, each for a worker. */
static int submit(int ring, const struct io_uring_params *p, int pipe)
{
	static char byte[ENTRIES];
	char *sq = mmap(NULL, p->sq_off.array + ENTRIES * 4,
			PROT_READ | PROT_WRITE, MAP_SHARED, ring,
			IORING_OFF_SQ_RING);
	struct io_uring_sqe *sqes = mmap(NULL, ENTRIES * sizeof(*sqes),
					 PROT_READ | PROT_WRITE, MAP_SHARED,
					 ring, IORING_OFF_SQES);
	unsigned int *array, i;

	if (sq == MAP_FAILED || sqes == MAP_FAILED)
		return -1;
	array = (unsigned int *)(sq + p->sq_off.array);
	for (i = 0; i < ENTRIES; i++) {
		memset(&sqes[i], 0, sizeof(sqes[i]));
		sqes[i].opcode = IORING_OP_READ;
		sqes[i].flags = IOSQE_ASYNC;
		sqes[i].fd = pipe;
		sqes[i].addr = (uintptr_t)&byte[i];
		sqes[i].len = 1;
		array[i] = i;
	}
	__atomic_store_n((unsigned int *)(sq + p->sq_off.tail), ENTRIES,
			 __ATOMIC_RELEASE);
	return 0;
}

int main(void)
{
	struct io_uring_params p = { .flags = IORING_SETUP_SQPOLL,
				     .sq_thread_idle = 600000 };
	struct epoll_event event = { .events = EPOLLIN };
	int ring = (int)syscall(SYS_io_uring_setup, ENTRIES, &p);
	int epoll = epoll_create1(0);
	int ends[2], n;

	if (ring < 0)
		return 77;
	if (pipe(ends) || submit(ring, &p, ends[0]))
		return 1;
	epoll_ctl(epoll, EPOLL_CTL_ADD, 0, &event);
	puts("ready");
	fflush(stdout);
	while (epoll_wait(epoll, &event, 1, -1) < 0)
		;
	for (n = 0; n < 10; n++)
		TAFFRAIL_EVENT(app, hit, n);
	return 0;
}
