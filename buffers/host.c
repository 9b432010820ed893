/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Thread and process facts for contexts.
 */
#include "buffers/host.h"

#include <sys/prctl.h>

#include "buffers/base.h"
#include "buffers/host-x86_64.h"
#include "buffers/sys.h"

static int tid_in_libc;
static char procname[16];

SIGSAFE void host_setup(void)
{
	tid_in_libc = host_tid_libc() == (uint32_t)sys_gettid();
	sys5(SYS_prctl, PR_GET_NAME, procname, 0, 0, 0);
}

SIGSAFE uint32_t host_tid(void)
{
	return tid_in_libc ? host_tid_libc() : (uint32_t)sys_gettid();
}

SIGSAFE void host_procname(char *out16)
{
	__builtin_memcpy(out16, procname, sizeof(procname));
}
