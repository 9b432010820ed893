/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a writer may ask about the thread and process it runs in, without a
 * system call.
 */
#ifndef BUFFERS_HOST_H
#define BUFFERS_HOST_H

#include <sched.h>
#include <stdint.h>

#include "buffers/host-x86_64.h"

/* Can host_cpu() read it without a call? Set by host_setup(). */
extern int host_cpu_fast;

/* The CPU that the thread ran on a moment ago. SIGSAFE. */
static inline uint32_t host_cpu(void)
{
	return host_cpu_fast ? host_cpu_read() : (uint32_t)sched_getcpu();
}

/*
 * Learns where libc keeps a thread's id. Called at start and by the first
 * write of a forked child. SIGSAFE.
 */
void host_setup(void);

/* The calling thread's id. A system call only where host_setup() could not
 * find libc's copy. SIGSAFE. */
uint32_t host_tid(void);

/* The calling thread's name (comm), 16 bytes, NUL padded, as it was when the
 * thread first asked: one system call a thread. SIGSAFE. */
void host_thread_name(char *out16);

#endif
