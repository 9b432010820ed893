/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * clone(2) for a thread that starts on an empty stack and runs fn(arg).
 */
#ifndef CONTROL_THREADS_THREAD_X86_64_H
#define CONTROL_THREADS_THREAD_X86_64_H

#include <stdint.h>
#include <sys/syscall.h>

/*
 * Returns the thread's id or a negative errno. `stack` is the 16-aligned end of
 * the stack; fn's return value goes to exit(2). The kernel clears *tid and
 * wakes it when the thread has ended.
 */
static inline long thread_clone(unsigned long flags, void *stack,
				uint32_t *tid, void *tls, int (*fn)(void *),
				void *arg)
{
	register uint32_t *r10 __asm__("r10") = tid;
	register void *r8 __asm__("r8") = tls;
	register int (*r9)(void *) __asm__("r9") = fn;
	register void *r12 __asm__("r12") = arg;
	long ret;

	__asm__ volatile("syscall\n\t"
			 "testq %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "xorl %%ebp, %%ebp\n\t"
			 "movq %%r12, %%rdi\n\t"
			 "callq *%%r9\n\t"
			 "movl %%eax, %%edi\n\t"
			 "movl %[exit], %%eax\n\t"
			 "syscall\n\t"
			 "hlt\n"
			 "1:"
			 : "=a"(ret)
			 : "a"(SYS_clone), "D"(flags), "S"(stack), "d"(tid),
			   "r"(r10), "r"(r8), "r"(r9), "r"(r12),
			   [exit] "i"(SYS_exit)
			 : "rcx", "r11", "memory");
	return ret;
}

/* Writes the thread pointer's own value where glibc and this agent read it. */
static inline void thread_tls_init(void *tls)
{
	*(void **)tls = tls;			/* tcb */
	*(void **)((char *)tls + 0x10) = tls;	/* self */
}

#endif
