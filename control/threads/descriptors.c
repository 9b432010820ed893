/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A thread's private descriptor table. See descriptors-private.h.
 */
#include "control/threads/descriptors-private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <sys/resource.h>

#include "base/base.h"
#include "base/entries.h"
#include "base/sys.h"
#include "base/text.h"

/* Limits the calls of one thread without close_range(2) and /proc: 50 ms. */
#define CLOSES_MAX	(1u << 20)

static void close_entry(int fd, const char *name, void *arg)
{
	int number = (int)text_number(&name);

	(void)arg;
	if (number != fd)
		sys_close(number);
}

/* Closes each number that the limit allows, by one call each. */
static void close_numbers(void)
{
	struct rlimit limit = { 0 };
	uint64_t n = CLOSES_MAX;
	uint64_t i;

	if (!sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit))
		n = min_u64(limit.rlim_cur, n);
	for (i = 0; i < n; i++)
		sys_close(i);
}

/* Closes the descriptors that /proc lists: numbers above a lowered limit may be
 * open. */
static void close_each(void)
{
	int fd;

	/* makes room for the directory in a full table */
	sys_close(0);
	fd = (int)sys_open("/proc/thread-self/fd",
			   O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd < 0) {
		close_numbers();
		return;
	}
	entries_each(fd, close_entry, NULL);
	sys_close(fd);
}

int descriptors_leave(void)
{
	if (!sys3(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE))
		return 0;
	if (sys1(SYS_unshare, CLONE_FILES))
		return -EMFILE;
	if (sys3(SYS_close_range, 0, ~0u, 0))
		close_each();
	return 0;
}
