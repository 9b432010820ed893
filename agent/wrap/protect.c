/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mprotect(2) and pkey_mprotect(2), as libc's functions.
 *
 * A program may forbid access to pages of data, such as guards between static
 * buffers. Tracepoints read the program's data by loads, so they must be told
 * before (tracepoints/program/memory.h).
 *
 * Invariant: a call does the same as libc's function, also before the
 * agent has started, in a signal handler, and in a child of vfork().
 */
#include <errno.h>
#include <sys/mman.h>

#include "base/sys.h"
#include "tracepoints/program/memory.h"

static int ret_errno(long ret)
{
	if (ret >= 0)
		return (int)ret;
	errno = (int)-ret;
	return -1;
}

static void access_look(void *address, size_t n, int prot)
{
	if (!(prot & PROT_READ))
		memory_forget((uint64_t)address, n);
}

__attribute__((weak, visibility("default")))
int mprotect(void *address, size_t n, int prot)
{
	access_look(address, n, prot);
	return ret_errno(sys3(SYS_mprotect, address, n, prot));
}

/* Handles any key as if it forbade access: it may, whatever `prot` allows. */
__attribute__((weak, visibility("default")))
int pkey_mprotect(void *address, size_t n, int prot, int key)
{
	access_look(address, n, key < 0 ? prot : PROT_NONE);
	return ret_errno(key < 0 ? sys3(SYS_mprotect, address, n, prot) :
				sys4(SYS_pkey_mprotect, address, n, prot, key));
}
