/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vector registers of a thread that enters the agent between any two
 * instructions: at a probe that is not ours, or through a jump pad. libc's
 * memory functions clear the upper halves (vzeroupper); the program must not
 * see that.
 */
#ifndef CONTROL_THREADS_VECTORS_H
#define CONTROL_THREADS_VECTORS_H

#include <stdint.h>

/* Finds out which vector state the processor has. Call it before the first
 * vectors_kept(); more calls do no harm. Changes no vector register. SIGSAFE.
 */
void vectors_setup(void);

/* Components of the state that the kernel lets programs use (XCR0); 0 when
 * the processor cannot tell. */
extern uint32_t vectors_state;

/* Components that vectors_kept() keeps, by XSAVE; 0: x87 and SSE, by FXSAVE. */
extern uint32_t vectors_mask;
/* Not 0: vectors_kept() uses XSAVEC, which writes only the state in use. */
extern uint32_t vectors_compact;

/* The area in which vectors_kept() keeps the state: as XSAVE, XSAVEC or FXSAVE
 * makes it. */
#define VECTORS_BYTES	2752

/* Where components of the state are in that area, by their number; 0: nowhere.
 * The first two, x87 and SSE, are where FXSAVE puts them. */
extern uint32_t vectors_offsets[8];

/*
 * Calls fn(a, b) and returns fn's result. Keeps the x87, SSE, AVX and AVX-512
 * state. Takes 3 KiB of stack. SIGSAFE if fn is. A function in machine code may
 * take the area's address as a third argument.
 */
int vectors_kept(int (*fn)(void *a, void *b), void *a, void *b);

#endif
