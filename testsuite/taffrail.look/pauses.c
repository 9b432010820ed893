/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Preloaded into a command: its clocks say that each step between two readings
 * takes 400 ms, as on a machine where the command waits for a processor, and
 * uses them. Writes each pause of poll(2) without a file into the file that
 * PAUSES names, and pauses for a tenth of it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
	static long readings;
	long ms;

	if (syscall(SYS_clock_gettime, clock, now))
		return -1;
	if (clock != CLOCK_MONOTONIC && clock != CLOCK_PROCESS_CPUTIME_ID &&
	    clock != CLOCK_THREAD_CPUTIME_ID)
		return 0;
	ms = now->tv_nsec / 1000000 + 400 * ++readings;
	now->tv_sec += ms / 1000;
	now->tv_nsec = ms % 1000 * 1000000 + now->tv_nsec % 1000000;
	return 0;
}

int poll(struct pollfd *files, nfds_t n, int ms)
{
	const char *path = getenv("PAUSES");
	char line[16];
	int fd;

	if (n || !path)
		return (int)syscall(SYS_poll, files, n, ms);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, line, (size_t)sprintf(line, "%d\n", ms)) < 0)
		abort();
	close(fd);
	return (int)syscall(SYS_poll, files, n, ms / 10);
}
