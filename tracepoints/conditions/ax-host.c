/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: the contexts of the calling thread, as events record them.
 */
#include "tracepoints/conditions/ax.h"

#include "base/base.h"
#include "base/host.h"
#include "base/sys.h"
#include "buffers/writers/write.h"

static SIGSAFE uint32_t host_vtid(void *hit)
{
	return host_tid();
}

static SIGSAFE uint32_t host_cpu_now(void *hit)
{
	return host_cpu();
}

static SIGSAFE void host_procname(void *hit, char *name)
{
	host_thread_name(name);
}

/* A forked child that has not written an event yet asks the kernel: its memory
 * still has the parent's number. */
static SIGSAFE uint32_t host_vpid(void *hit)
{
	const struct process_page *page = process.page;

	if (page && load_relaxed(fork_mark))
		return page->pid;
	return host_confined ? 0 : (uint32_t)sys_getpid();
}

static SIGSAFE uint64_t host_pthread(void *hit)
{
	return (uintptr_t)__builtin_thread_pointer();
}

static SIGSAFE uint64_t host_ip(void *hit)
{
	return hit ? *(const uint64_t *)hit : 0;
}

#define CONTEXTS	.vtid = host_vtid, .cpu = host_cpu_now,		\
			.vpid = host_vpid, .pthread = host_pthread,	\
			.procname = host_procname

const struct ax_machine ax_host = { CONTEXTS, .ip = host_ip };
const struct ax_machine ax_bare = { CONTEXTS };
