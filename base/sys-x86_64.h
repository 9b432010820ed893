/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * System calls without libc: result or negative errno, errno untouched, no
 * cancellation point, no thread-local variable. All of them are SIGSAFE.
 */
#ifndef BASE_SYS_X86_64_H
#define BASE_SYS_X86_64_H

static inline long sys_call6(long nr, long a, long b, long c, long d, long e,
			     long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8),
			   "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#endif
