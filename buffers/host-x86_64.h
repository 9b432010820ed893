/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * glibc keeps a thread's id in struct pthread, at a fixed distance from the
 * thread pointer (nptl/descr.h: 0x2d0 on x86-64 since 2.11). host_setup()
 * checks it against the kernel's answer before anybody relies on it.
 */
#ifndef BUFFERS_HOST_X86_64_H
#define BUFFERS_HOST_X86_64_H

#include <stdint.h>

static inline uint32_t host_tid_libc(void)
{
	uint32_t tid;

	__asm__("movl %%fs:0x2d0, %0" : "=r"(tid));
	return tid;
}

#endif
