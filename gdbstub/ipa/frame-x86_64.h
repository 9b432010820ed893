/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Registers of x86-64 that only a frame for gdbserver needs. */
#ifndef GDBSTUB_IPA_FRAME_X86_64_H
#define GDBSTUB_IPA_FRAME_X86_64_H

#include <stdint.h>

/* Gets the code and the stack segment. */
static inline void ipa_segments(uint32_t *cs, uint32_t *ss)
{
	__asm__("movl %%cs, %0" : "=r"(*cs));
	__asm__("movl %%ss, %0" : "=r"(*ss));
}

#endif
