/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a frame for gdbserver needs of an x86-64 processor. */
#ifndef GDBSTUB_IPA_FRAME_X86_64_H
#define GDBSTUB_IPA_FRAME_X86_64_H

#include <stdint.h>

/* Code and stack segment. */
static inline void ipa_segments(uint32_t *cs, uint32_t *ss)
{
	__asm__("movl %%cs, %0" : "=r"(*cs));
	__asm__("movl %%ss, %0" : "=r"(*ss));
}

#endif
