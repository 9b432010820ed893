/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conditions: the contexts of the calling thread, as events record them.
 */
#include "tracepoints/conditions/ax.h"

#include "base/base.h"
#include "base/host.h"

static SIGSAFE uint32_t host_vtid(void *hit)
{
	(void)hit;
	return host_tid();
}

static SIGSAFE uint32_t host_cpu_now(void *hit)
{
	(void)hit;
	return host_cpu();
}

static SIGSAFE void host_procname(void *hit, char *name)
{
	(void)hit;
	host_thread_name(name);
}

const struct ax_machine ax_host = {
	.vtid = host_vtid,
	.cpu = host_cpu_now,
	.procname = host_procname,
};
