/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * _Fork(3) in the shared library: unlike fork() it calls no handlers, and a
 * signal handler may call it. (In a static program libc's fork() calls it, so
 * it cannot be replaced there.)
 *
 * Invariant: the child's first act is channels_forked().
 */
#include <errno.h>
#include <unistd.h>

#include "agent/fork.h"
#include "agent/wrap/private.h"
#include "base/base.h"
#include "buffers/rings/channel.h"
#include "control/threads/settings.h"

static pid_t (*real)(void);

/* Runs before any handler of the program can. A program of a libc without
 * _Fork() does not call this one. */
__attribute__((constructor(102))) static void fork_shared_setup(void)
{
	next_setup((void **)&real, "_Fork");
}

__attribute__((weak, visibility("default"))) SIGSAFE pid_t _Fork(void)
{
	pid_t pid;

	if (!NEXT_FOUND(real, "_Fork")) {
		errno = ENOSYS;
		return -1;
	}
	if (start_deferred)
		fork_wait();
	channels_forking();
	pid = real();
	if (!pid)
		channels_forked();
	return pid;
}
