/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state of an x86-64 processor, as a frame for gdbserver needs it.
 */
#ifndef AGENT_IPA_X86_64_H
#define AGENT_IPA_X86_64_H

#include <cpuid.h>
#include <stdint.h>

#define IPA_KEEP_MASK	0xe7u	/* x87, SSE, AVX, AVX-512 */
#define CPUID_OSXSAVE	(1u << 27)

/* Components of the state that the kernel lets programs use; 0 when the
 * processor cannot tell. */
static inline uint32_t ipa_components(void)
{
	uint32_t a = 0, b, c = 0, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & CPUID_OSXSAVE))
		return 0;
	__asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	return a;
}

/* Is there XSAVEC? */
static inline int ipa_has_compact(void)
{
	uint32_t a = 0, b, c, d;

	return __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && a & 1u << 1;
}

/* Code and stack segment. */
static inline void ipa_segments(uint32_t *cs, uint32_t *ss)
{
	__asm__("movl %%cs, %0" : "=r"(*cs));
	__asm__("movl %%ss, %0" : "=r"(*ss));
}

#endif
