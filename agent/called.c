/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A request that a command has left in a file, and the answer to it
 * (buffers/wake.h, TAFFRAIL_SERVICE=signal).
 *
 * A thread of the program runs this in a signal handler. The descriptor is in
 * the program's table, so it is closed while the request is obeyed.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "agent/control-private.h"
#include "base/file.h"
#include "base/sys.h"
#include "buffers/rings/channel.h"
#include "control/protocol.h"
#include "control/sessions/place.h"

#define MEMORY_BYTES	(CONTROL_REQUEST_BYTES + sizeof(struct message) + \
			 PROTOCOL_PAYLOAD_MAX)

static int call_open(void)
{
	char path[PLACE_SOCKET_BYTES];

	place_socket_path(path, sizeof(path), CALL_FILE);
	return file_open(AT_FDCWD, path, O_RDWR, sizeof(struct message),
			 sizeof(struct message) + PROTOCOL_PAYLOAD_MAX);
}

/* Reads the request, and a NUL behind it. */
static int request_read(struct message *message, char *memory)
{
	int fd = call_open();
	int ret = -EPROTO;

	if (fd < 0)
		return fd;
	if (!sys2(SYS_flock, fd, LOCK_EX | LOCK_NB))
		ret = -ECANCELED;	/* the command has gone */
	else if (sys_read(fd, message, sizeof(*message)) ==
			 sizeof(*message) &&
		 message->magic == PROTOCOL_MAGIC &&
		 message->bytes < CONTROL_REQUEST_BYTES &&
		 sys_read(fd, memory, message->bytes) == (long)message->bytes)
		ret = 0;
	memory[ret ? 0 : message->bytes] = 0;
	sys_close(fd);
	return ret;
}

int control_called(void *unused)
{
	char *memory = sys_map_anonymous(MEMORY_BYTES);
	const uint64_t caller = process.page->wake.entry;
	struct ucred peer = {
		.pid = (pid_t)(caller >> 32),
		.uid = (uid_t)caller,
	};
	struct message message;
	uint64_t bytes;
	char *answer;
	long n;
	int ret, fd;

	if (!memory)
		return -ENOMEM;
	answer = memory + CONTROL_REQUEST_BYTES;
	ret = request_read(&message, memory);
	if (!ret) {
		control_obey(&message, &peer, memory, answer + sizeof(message));
		__builtin_memcpy(answer, &message, sizeof(message));
		bytes = sizeof(message) + message.bytes;
		fd = ret = call_open();
		if (fd >= 0) {
			n = sys_pwrite(fd, answer, bytes, 0);
			ret = n == (long)bytes ? 0 : n < 0 ? (int)n : -ENOSPC;
			sys_close(fd);
		}
	}
	sys_munmap(memory, MEMORY_BYTES);
	return ret;
}
