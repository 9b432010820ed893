/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * glibc keeps a thread's id in struct pthread, at a fixed distance from the
 * thread pointer (nptl/descr.h: 0x2d0 on x86-64 since 2.11). host_setup()
 * compares it with the kernel's answer before it is used.
 */
#ifndef BASE_HOST_X86_64_H
#define BASE_HOST_X86_64_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

/* A trap behind each instruction. */
#define HOST_TRAP_FLAG	(1ull << 8)

/* arch_prctl(2), ARCH_GET_CPUID: 0 when CPUID is forbidden; kernels that cannot
 * forbid it (before 4.12) have an error. */
#define HOST_GET_CPUID	0x1011

/* glibc's copies of CPUID's answers (sys/platform/x86.h, since 2.33): EAX to
 * EDX, and then the parts of them that the kernel supports. */
struct host_leaf {
	uint32_t cpuid[4];
	uint32_t active[4];
};

#define HOST_LEAF_1		0u
#define HOST_LEAF_7		1u
#define HOST_LEAF_D_1		3u
#define HOST_LEAF_80000007	4u

/* glibc's function that returns such a copy; NULL: libc has none. Set by the
 * agent before host_setup(): a virtual machine traps each CPUID, which takes
 * microseconds. */
extern const struct host_leaf *(*host_leaf)(unsigned int number);

/* Copies EAX to EDX of a leaf: glibc's copy `number`, or the processor's
 * answer. Returns false where the processor does not have the leaf. */
static inline bool host_leaf_read(uint32_t out[4], unsigned int number,
				  uint32_t leaf, uint32_t below)
{
	if (!host_leaf)
		return __get_cpuid_count(leaf, below, &out[0], &out[1],
					 &out[2], &out[3]);
	__builtin_memcpy(out, host_leaf(number)->cpuid, 4 * sizeof(*out));
	return out[0] || out[1] || out[2] || out[3];
}

/* CPUID 7. ECX bit 22: RDPID; the kernel keeps the CPU's number in the low 12
 * bits of the value that RDPID reads (asm/segment.h: VDSO_CPUNODE_BITS). EBX
 * bit 11: RTM; with EDX bit 11 no transaction ever succeeds. */
static inline void host_features_read(int *cpu, int *transactions)
{
	uint32_t out[4];
	bool known = host_leaf_read(out, HOST_LEAF_7, 7, 0);

	*cpu = known && (out[2] & (1u << 22));
	*transactions = known && (out[1] & ~out[3] & (1u << 11));
}

static inline uint32_t host_cpu_read(void)
{
	uint64_t cpu;

	__asm__ volatile(".byte 0xf3, 0x0f, 0xc7, 0xf8" /* rdpid %rax */
			 : "=a"(cpu));
	return (uint32_t)cpu & 0xfff;
}

/* AVX2, and a kernel that keeps the registers. Intel SDM, volume 1, 14.3:
 * OSXSAVE and AVX in leaf 1, XMM and YMM in XCR0, then leaf 7. libgcc's
 * __builtin_cpu_supports() tells the same, but takes 3 kB of code. */
static inline bool host_avx2_read(void)
{
	uint32_t a, b, c, d;
	uint32_t low, high;

	if (!__get_cpuid(1, &a, &b, &c, &d) || (~c >> 27 & 3))
		return false;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (low & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
	       (b >> 5 & 1);
}

/* Lets unaligned accesses pass, which the program may have forbidden by the
 * flag AC: the kernel begins a handler with it. Going back from the handler
 * restores the flag. */
static inline void host_unaligned(void)
{
	uint64_t flags = __builtin_ia32_readeflags_u64();

	if (flags & 1u << 18)
		__builtin_ia32_writeeflags_u64(flags & ~(1ull << 18));
}

/* Returns whether the thread is stepped. A debugger that steps one instruction
 * is not seen behind both reads. */
static inline bool host_trap_seen(void)
{
	return __builtin_ia32_readeflags_u64() & HOST_TRAP_FLAG &&
	       __builtin_ia32_readeflags_u64() & HOST_TRAP_FLAG;
}

/* Not where a debugger steps: the kernel (6.18) then leaves the flag to the
 * program when the debugger goes on. */
static inline void host_trap_clear(void)
{
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() &
				       ~HOST_TRAP_FLAG);
}

/* A handler of SIGTRAP may run behind the next instruction. */
static inline void host_trap_set(void)
{
	__builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() |
				       HOST_TRAP_FLAG);
}

static inline uint32_t host_tid_libc(void)
{
	uint32_t tid;

	__asm__("movl %%fs:0x2d0, %0" : "=r"(tid));
	return tid;
}

#endif
