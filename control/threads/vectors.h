/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vector registers of a thread that came to us in the middle of its work: at a
 * probe that is not ours, or through a jump pad. What libc's memory functions
 * do to the upper halves (vzeroupper) must not reach the program.
 */
#ifndef CONTROL_THREADS_VECTORS_H
#define CONTROL_THREADS_VECTORS_H

#include <stdint.h>

/* Learns what the processor has; before the first vectors_kept(), and again
 * at will. Changes no vector register. SIGSAFE. */
void vectors_setup(void);

/* Components of the state that the kernel lets programs use (XCR0); 0 when
 * the processor cannot tell. */
extern uint32_t vectors_state;

/* Those that vectors_kept() keeps, by XSAVE; 0: x87 and SSE, by FXSAVE. */
extern uint32_t vectors_mask;
extern uint32_t vectors_compact;	/* by XSAVEC, only what is in use */

/*
 * Calls fn(a, b) and returns what it returns; x87, SSE, AVX and AVX-512 state
 * are afterwards as they were. Takes 3 KiB of stack. SIGSAFE as fn is.
 */
int vectors_kept(int (*fn)(void *a, void *b), void *a, void *b);

#endif
