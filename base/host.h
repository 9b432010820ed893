/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Facts about the calling thread and the process that a writer can read without
 * a system call.
 */
#ifndef BASE_HOST_H
#define BASE_HOST_H

#include <sched.h>
#include <stdbool.h>

#include "base/base.h"
#include "base/host-x86_64.h"
#include "base/tunables.h"

/* 1 when host_cpu() can read the CPU's number without a call. Set by
 * host_setup(). */
extern int host_cpu_fast;

/* 1 when the processor has transactions (tracepoints/program/memory-x86_64.h).
 * Set by host_setup(). */
extern int host_transactions;

/* Not 0 when a system call of the agent's could kill the program (a seccomp
 * filter), or would reach a handler of the program (syscall user dispatch). Set
 * by the agent; from then on no thread makes a system call for the agent. Work
 * that needs one is left out, or counted as lost. A forked child inherits a
 * filter; it does not inherit the dispatch. */
#define HOST_FILTERED	1
#define HOST_DISPATCHED	2
extern int host_confined;

/* The accesses that Landlock forbids the program, as far as the agent knows:
 * enum landlock_state (buffers/layout.h). Forked children inherit it. Set by
 * the agent. */
extern uint32_t host_landlock;

/* Not 0 while a task that shares this process's memory, such as a child of
 * vfork(2), is under a private filter, or has dispatched system calls (GUEST_
 * of control/threads/filtered.h). Set by the agent; no writer has a ring made
 * meanwhile, as it may be that task. */
extern uint32_t host_guest_confined;

/* The program's name at the start (comm), 16 bytes, NUL padded. Set by the
 * agent. */
extern char host_program[16];

/* Where host_cpu_fast is 0: the last answer that the thread got, and the TSC of
 * that moment. */
struct host_cpu_told {
	uint64_t ticks;
	uint32_t cpu;
};
extern __thread struct host_cpu_told host_cpu_told
	__attribute__((visibility("hidden")));

/* Returns the CPU that the thread ran on a moment ago. SIGSAFE. */
static inline uint32_t host_cpu(void)
{
	return host_cpu_fast ? host_cpu_read() : (uint32_t)sched_getcpu();
}

/*
 * Does the same for a writer that reads the TSC next, and then calls
 * host_cpu_renew() with it: without RDPID a processor takes longer to read the
 * CPU's number (LSL: 16 ns on Zen 5) than to read the clock. SIGSAFE.
 */
static inline uint32_t host_cpu_kept(void)
{
	return host_cpu_fast ? host_cpu_read() : host_cpu_told.cpu;
}

/*
 * Asks for the CPU again when the answer of host_cpu_kept() is older than a
 * move from one CPU to another takes; else returns `cpu`. `ticks` is the TSC,
 * or 0 when it is not known. A handler in between leaves an answer that is just
 * as new. SIGSAFE.
 */
static inline uint32_t host_cpu_renew(uint32_t cpu, uint64_t ticks)
{
	if (host_cpu_fast ||
	    likely(ticks - host_cpu_told.ticks < HOST_CPU_TICKS && ticks))
		return cpu;
	host_cpu_told.ticks = ticks;
	host_cpu_told.cpu = (uint32_t)sched_getcpu();
	return host_cpu_told.cpu;
}

/* Returns the highest possible CPU number plus one: from the last number of a
 * list like "0-3,8-11" in /sys, or from the thread's affinity. */
uint32_t host_cpus_possible(void);

/* Returns true when the calling thread may execute CPUID. SIGSAFE. */
bool host_may_ask(void);

/* Returns true when AVX2 may be used. Asks the processor once, because CPUID
 * traps in a virtual machine, and not where the program has forbidden that. */
bool host_avx2(void);

/*
 * Learns the features of the processor, and whether libc's copy of a thread's
 * id can be used. Called at start. SIGSAFE.
 */
void host_setup(void);

/* Learns the latter again, by the first write of a forked child: the program
 * may have forbidden CPUID since. SIGSAFE. */
void host_forked(void);

/* Returns the calling thread's id. Makes a system call only where libc's copy
 * cannot be used; returns 0 where no call may be made. SIGSAFE. */
uint32_t host_tid(void);

/*
 * Returns true if libc has this id for the calling thread, whose id it is. If
 * not, the thread's local memory may be another one's: as in a child of vfork,
 * in the thread that has made a bare fork, and in one that a runtime has made
 * with memory of zeros. SIGSAFE.
 */
bool host_tid_certain(uint32_t tid);

/*
 * Blocks all signals of the calling thread, and lets those come again that
 * *before says. A program that steps itself by the trap flag is not stepped in
 * between: the kernel ends a process that has SIGTRAP blocked then. The block
 * returns 0, or a negative errno and has done nothing. SIGSAFE.
 */
int host_signals_block(uint64_t *before);
void host_signals_restore(const uint64_t *before);

/* Copies the calling thread's name (comm), 16 bytes, NUL padded, as it was at
 * the thread's first call: one system call a thread. Where no call may be made,
 * copies the program's name at the start. SIGSAFE. */
void host_thread_name(char *out16);

#endif
