/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process whose program may have ended without the service thread.
 *
 * exit(3) ends every thread. The bare system call exit(2) ends the caller only:
 * so does a child of glibc's clone(3) that returns from the function. When such
 * a thread is the first and the last of the program, the process stays a zombie
 * leader with the service thread beside it, and the parent waits. So a service
 * thread that stays looks once a second, and ends with the program. Nothing in
 * the kernel could wake it: since Linux 6.15 a pidfd with PIDFD_THREAD tells of
 * the first thread's end only when the other threads have ended, too.
 *
 * The process has the exit status of the thread that ends last (since Linux
 * 5.17). So the service thread ends with the status of the first thread.
 */
#include "control/service/alone-private.h"

#include <fcntl.h>
#include <stdint.h>

#include "base/sys.h"
#include "base/text.h"

#define STAT_BYTES	1280u

/* Fields of proc_pid_stat(5), counted from the state. */
#define FIELD_THREADS	17
#define FIELD_STATUS	49

/* Returns the state, which stands behind the name, or NULL where there is none.
 * The name may hold any character. */
static const char *state_of(const char *text, long n)
{
	while (n-- > 0)
		if (text[n] == ')')
			return text[n + 1] == ' ' ? text + n + 2 : NULL;
	return NULL;
}

/* Returns the field when the first thread has ended, else -1. */
static int64_t ended_field(int field)
{
	char text[STAT_BYTES];
	const char *p = NULL;
	int fd = (int)sys_open("/proc/self/stat", O_RDONLY | O_CLOEXEC, 0);
	long n;

	if (fd < 0)
		return -1;
	n = sys_read(fd, text, sizeof(text) - 1);
	sys_close(fd);
	if (n > 0) {
		text[n] = '\0';
		p = state_of(text, n);
	}
	if (!p || *p != 'Z')
		return -1;
	for (; field && *p; p++)
		field -= *p == ' ';
	return text_number(&p);
}

int alone_here(void)
{
	/* the first thread counts until the parent has waited for it */
	return ended_field(FIELD_THREADS) == 2;
}

int alone_status(void)
{
	int64_t status = ended_field(FIELD_STATUS);

	/* as wait(2) tells it */
	return status > 0 ? (int)(status >> 8) & 0xff : 0;
}
