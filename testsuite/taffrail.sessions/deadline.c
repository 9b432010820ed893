/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program and a library.
 *
 *	deadline		says "ready"; two threads hit without a rest
 *
 * The library is for the recorder: it makes each packet take 3 ms to write, so
 * the threads always have the next one ready. It writes to the file $DEADLINE
 * how many bytes went to disk after the recorder had asked for the stop.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <taffrail/marker.h>

#define PACKET_US	3000
#define STOP		6	/* MESSAGE_STOP, in the header's second half */

#ifdef LIBRARY

static uint64_t after;
static int stopped;

ssize_t pwritev(int fd, const struct iovec *iov, int n, off_t offset)
{
	ssize_t (*next)(int, const struct iovec *, int, off_t) =
		dlsym(RTLD_NEXT, "pwritev");
	ssize_t done = next(fd, iov, n, offset);

	if (n > 1)
		usleep(PACKET_US);
	if (stopped && done > 0)
		after += (uint64_t)done;
	return done;
}

ssize_t send(int fd, const void *data, size_t bytes, int flags)
{
	ssize_t (*next)(int, const void *, size_t, int) =
		dlsym(RTLD_NEXT, "send");

	if (bytes == 16 && ((const uint16_t *)data)[3] == STOP)
		stopped = 1;
	return next(fd, data, bytes, flags);
}

static void __attribute__((destructor)) tell(void)
{
	FILE *f = fopen(getenv("DEADLINE") ?: "/dev/null", "w");

	if (f)
		fprintf(f, "%d %llu\n", stopped, (unsigned long long)after);
}

#else

static void *hit(void *arg)
{
	for (uint64_t n = 0;; n++)
		TAFFRAIL_EVENT(app, hit, n);
	return arg;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, hit, NULL))
		return 1;
	puts("ready");
	fflush(stdout);
	hit(NULL);
	return 0;
}

#endif
