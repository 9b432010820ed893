/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a writer may ask about the thread and process it runs in, without a
 * system call.
 */
#ifndef BASE_HOST_H
#define BASE_HOST_H

#include <sched.h>
#include <stdint.h>

#include "base/base.h"
#include "base/host-x86_64.h"
#include "base/tunables.h"

/* Can host_cpu() read it without a call? Set by host_setup(). */
extern int host_cpu_fast;

/* Has the processor transactions (tracepoints/program/memory-x86_64.h)? Set by
 * host_setup(). */
extern int host_transactions;

/* May a system call that the program does not make by itself kill it (a seccomp
 * filter)? Set by the agent; from then on no thread of the program's makes one
 * for us. What would need one is left out, or counted as lost. */
extern int host_confined;

/* The program's name at its start (comm), 16 bytes, NUL padded. Set by the
 * agent. */
extern char host_program[16];

/* Where it cannot: what the thread was told last, and when, by the TSC. */
struct host_cpu_told {
	uint64_t ticks;
	uint32_t cpu;
};
extern __thread struct host_cpu_told host_cpu_told
	__attribute__((visibility("hidden")));

/* The CPU that the thread ran on a moment ago. SIGSAFE. */
static inline uint32_t host_cpu(void)
{
	return host_cpu_fast ? host_cpu_read() : (uint32_t)sched_getcpu();
}

/*
 * The same for a writer that reads the TSC next, and then calls
 * host_cpu_renew() with it: a processor without RDPID takes longer to say its
 * number (LSL: 16 ns on Zen 5) than the clock does. SIGSAFE.
 */
static inline uint32_t host_cpu_kept(void)
{
	return host_cpu_fast ? host_cpu_read() : host_cpu_told.cpu;
}

/*
 * The CPU, when what host_cpu_kept() said is older than a move from one CPU to
 * another takes; else `cpu` as it is. `ticks`: the TSC, or 0 when it is not
 * known. A handler in between leaves an answer that is as new. SIGSAFE.
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

/* May AVX2 be used? Asks once, since CPUID traps in a virtual machine. */
int host_avx2(void);

/*
 * Learns what the processor has, and where libc keeps a thread's id. Called at
 * start and by the first write of a forked child. SIGSAFE.
 */
void host_setup(void);

/* The calling thread's id. A system call only where host_setup() could not
 * find libc's copy; 0 where that may not be made. SIGSAFE. */
uint32_t host_tid(void);

/* The calling thread's name (comm), 16 bytes, NUL padded, as it was when the
 * thread first asked: one system call a thread. Where that may not be made,
 * the program's at its start. SIGSAFE. */
void host_thread_name(char *out16);

#endif
