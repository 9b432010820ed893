/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The system calls that code inside a traced program makes. They bypass libc:
 * libc does not know the service thread, host threads must keep their errno,
 * and a handler may be running.
 *
 * Every call returns a result or a negative errno, and is SIGSAFE.
 */
#ifndef BASE_SYS_H
#define BASE_SYS_H

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#ifdef __x86_64__
#include "base/sys-x86_64.h"
#endif

#define sys6(n, a, b, c, d, e, f)                                      \
	sys_call6((n), (long)(a), (long)(b), (long)(c), (long)(d),     \
		  (long)(e), (long)(f))
#define sys5(n, a, b, c, d, e)	sys6(n, a, b, c, d, e, 0)
#define sys4(n, a, b, c, d)	sys6(n, a, b, c, d, 0, 0)
#define sys3(n, a, b, c)	sys6(n, a, b, c, 0, 0, 0)
#define sys2(n, a, b)		sys6(n, a, b, 0, 0, 0, 0)
#define sys1(n, a)		sys6(n, a, 0, 0, 0, 0, 0)
#define sys0(n)			sys6(n, 0, 0, 0, 0, 0, 0)

#define sys_getpid()		sys0(SYS_getpid)
#define sys_gettid()		sys0(SYS_gettid)
#define sys_close(fd)		sys1(SYS_close, fd)
#define sys_open(path, flags, mode)                                    \
	sys4(SYS_openat, -100 /* AT_FDCWD */, path, flags, mode)
#define sys_read(fd, p, n)	sys3(SYS_read, fd, p, n)
#define sys_write(fd, p, n)	sys3(SYS_write, fd, p, n)
#define sys_pwrite(fd, p, n, o)	sys4(SYS_pwrite64, fd, p, n, o)
#define sys_unlink(path)	sys3(SYS_unlinkat, -100, path, 0)
#define sys_rmdir(path)                                                \
	sys3(SYS_unlinkat, -100, path, 0x200 /* AT_REMOVEDIR */)
#define sys_fallocate(fd, mode, off, n)                                \
	sys4(SYS_fallocate, fd, mode, off, n)
/* Both keep the list of mappings.h. */
#define sys_mmap(p, n, prot, flags, fd, off)                           \
	mapping_map((long)(p), n, prot, flags, (int)(fd), off)
#define sys_munmap(p, n)	mapping_unmap((long)(p), n)
#define sys_mprotect(p, n, prot) sys3(SYS_mprotect, p, n, prot)
#define sys_madvise(p, n, advice) sys3(SYS_madvise, p, n, advice)
#define sys_membarrier(cmd)	sys3(SYS_membarrier, cmd, 0, 0)

long mapping_map(long at, uint64_t bytes, int prot, int flags, int fd,
		 uint64_t offset);
long mapping_unmap(long at, uint64_t bytes);

/* Maps anonymous memory. Returns NULL when there is none. */
static inline void *sys_map_anonymous(uint64_t bytes)
{
	long p = sys_mmap(0, bytes, 3 /* read, write */,
			  0x22 /* MAP_PRIVATE | MAP_ANONYMOUS */, -1, 0);

	return p < 0 && p > -4096 ? NULL : (void *)p;
}

/* Copies memory of a process, up to the first byte that cannot be read. Returns
 * how many bytes. */
static inline long sys_read_memory(long pid, void *to, uint64_t from,
				   uint64_t n)
{
	/* struct iovec: <sys/uio.h> would bring libc's wrappers */
	const struct {
		uint64_t start, bytes;
	} local = { (uint64_t)to, n }, remote = { from, n };

	return sys6(SYS_process_vm_readv, pid, &local, 1, &remote, 1, 0);
}

/* Returns the time of a clock in ns, by a system call; 0 for an unknown one.
 * clock_read_kernel() is faster, and does not read the processor's time. */
static inline int64_t sys_clock_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	sys2(SYS_clock_gettime, clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline long sys_futex_wait(const uint32_t *word, uint32_t seen,
				  const struct timespec *timeout)
{
	return sys4(SYS_futex, word, FUTEX_WAIT, seen, timeout);
}

static inline long sys_futex_wake(const uint32_t *word, int waiters)
{
	return sys3(SYS_futex, word, FUTEX_WAKE, waiters);
}

#endif
