/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For LD_PRELOAD, in a command: waits two seconds in the middle of the request
 * for a session, as a command does that gets no CPU. The agent hangs up.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAGIC = 0x4d524654, START = 3 };

typedef ssize_t sender(int fd, const void *data, size_t bytes, int flags);

ssize_t send(int fd, const void *data, size_t bytes, int flags)
{
	sender *next = (sender *)dlsym(RTLD_NEXT, "send");
	static int waited;
	uint32_t magic = 0;
	uint16_t type = 0;
	ssize_t sent = next(fd, data, bytes, flags);

	if (bytes >= 16) {
		memcpy(&magic, data, sizeof(magic));
		memcpy(&type, (const char *)data + 6, sizeof(type));
	}
	if (magic == MAGIC && type == START && !waited) {
		waited = 1;
		sleep(2);
	}
	return sent;
}
