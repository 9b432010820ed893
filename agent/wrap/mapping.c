/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * munmap(2), mmap(2) and mremap(2), as libc's functions.
 *
 * A program may unmap memory of its own file, such as a static buffer, or map
 * something else there. Tracepoints read the program's data by loads, so they
 * must be told before (tracepoints/program/memory.h).
 *
 * Invariant: each calls the next function of the name, which may be that of a
 * sanitizer; or the kernel, before the agent has started. Where the program has
 * one of another library, such as an allocator's, no memory is certain.
 *
 * In the shared library only: a static program's libc has no other names for
 * the functions.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "agent/wrap/private.h"
#include "base/base.h"
#include "base/sys.h"
#include "tracepoints/program/memory.h"

#define PUBLIC	__attribute__((weak, visibility("default")))

static int (*real_munmap)(void *, size_t);
static void *(*real_mmap)(void *, size_t, int, int, int, off_t);
static void *(*real_mremap)(void *, size_t, size_t, int, ...);

/* The agent's own, also where the names mean others. */
#define OWN(name) \
	__attribute__((alias(#name), visibility("hidden"), nothrow, leaf))
extern OWN(munmap) __typeof__(munmap) munmap_own;
extern OWN(mmap) __typeof__(mmap) mmap_own;
extern OWN(mremap) __typeof__(mremap) mremap_own;

__attribute__((constructor(102))) static void mapping_shared_setup(void)
{
	if (!next_is_first((void *)munmap_own, "munmap") ||
	    !next_is_first((void *)mmap_own, "mmap") ||
	    !next_is_first((void *)mremap_own, "mremap"))
		memory_unlearn();
	next_setup((void **)&real_munmap, "munmap");
	next_setup((void **)&real_mmap, "mmap");
	next_setup((void **)&real_mremap, "mremap");
}

static long ret_errno(long ret)
{
	if (ret >= 0 || ret < -4095)
		return ret;
	errno = (int)-ret;
	return -1;
}

PUBLIC SIGSAFE int munmap(void *address, size_t n)
{
	memory_forget((uint64_t)address, n);
	return NEXT_FOUND(real_munmap, "munmap") ?
		       real_munmap(address, n) :
		       (int)ret_errno(sys2(SYS_munmap, address, n));
}

PUBLIC SIGSAFE void *mmap(void *address, size_t n, int prot, int flags, int fd,
			  off_t offset)
{
	if (flags & MAP_FIXED)
		memory_forget((uint64_t)address, n);
	return NEXT_FOUND(real_mmap, "mmap") ?
		       real_mmap(address, n, prot, flags, fd, offset) :
		       (void *)ret_errno(sys6(SYS_mmap, address, n, prot,
					      flags, fd, offset));
}

/* The same on 64-bit machines. */
PUBLIC __attribute__((alias("mmap"))) void *
mmap64(void *address, size_t n, int prot, int flags, int fd, off_t offset);

PUBLIC SIGSAFE void *mremap(void *address, size_t n, size_t become, int flags,
			    ...)
{
	void *to;
	va_list ap;

	/* reads the argument that there may be, as libc's function does */
	va_start(ap, flags);
	to = va_arg(ap, void *);
	va_end(ap);
	memory_forget((uint64_t)address, n);
	if (flags & MREMAP_FIXED)
		memory_forget((uint64_t)to, become);
	return NEXT_FOUND(real_mremap, "mremap") ?
		       real_mremap(address, n, become, flags, to) :
		       (void *)ret_errno(sys5(SYS_mremap, address, n, become,
					      flags, to));
}
