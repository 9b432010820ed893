/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a writer may ask about the thread and process it runs in, without a
 * system call.
 */
#ifndef BUFFERS_HOST_H
#define BUFFERS_HOST_H

#include <stdint.h>

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
