/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * _Fork(3) in the shared library: unlike fork() it calls no handlers, and it
 * is what a signal handler may call. (In a static program libc's fork() is
 * made of it, so that it cannot be replaced there.)
 *
 * What must stay true: the child's first act is channels_forked().
 */
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

#include "agent/fork.h"
#include "base/base.h"
#include "buffers/rings/channel.h"

static pid_t (*real)(void);

/* Before anybody's handler can run. Where libc has none, nobody calls ours. */
__attribute__((constructor(102))) static void fork_shared_setup(void)
{
	*(void **)&real = dlsym(RTLD_NEXT, "_Fork");
}

__attribute__((weak, visibility("default"))) SIGSAFE pid_t _Fork(void)
{
	pid_t pid;

	if (!real) {
		errno = ENOSYS;
		return -1;
	}
	channels_forking();
	pid = real();
	if (!pid)
		channels_forked();
	return pid;
}
