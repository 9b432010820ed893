/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The floating-point state of a program's thread, around code that is not the
 * program's: the control registers and flags of SSE (MXCSR) and of x87.
 *
 * Invariant: no instruction here reports an exception of the
 * program's that is pending in x87. (fldcw and fwait would.) All registers are
 * read, because that is cheap, and written only where they differ.
 *
 * Facts: Intel SDM volume 1, 8.1 and 10.2.3; the x86-64 ABI, 3.2.1: at a call,
 * the stack of x87 is empty.
 */
#ifndef CALLBACKS_FLOATS_X86_64_H
#define CALLBACKS_FLOATS_X86_64_H

#include <stdint.h>

#define MXCSR_AT_START		0x1f80u	/* all traps off, to nearest */
#define MXCSR_FLAGS		0x3fu
#define X87_CONTROL_AT_START	0x37fu	/* the same, 64 bits of mantissa */
#define X87_FLAGS		0x80ffu	/* B, ES, SF, exceptions */
#define X87_PENDING		0x80u	/* ES */
#define X87_CLASS		0x4500u	/* C3, C2, C0 */
#define X87_CLASS_EMPTY		0x4100u

struct floats {
	uint32_t mxcsr;
	uint16_t control;
	uint16_t status;
};

/* fnstenv's, in 64-bit mode */
struct x87_environment {
	uint32_t control;
	uint32_t status;
	uint32_t others[5];
};

static inline void floats_read(struct floats *floats)
{
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2"
			 : "=m"(floats->mxcsr), "=m"(floats->control),
			   "=m"(floats->status));
}

static inline void floats_write_sse(uint32_t mxcsr)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
}

/* fnstenv masks all exceptions, so that fldenv reports none. */
static __attribute__((noinline, cold)) void
floats_write_x87(uint16_t control, uint16_t flags)
{
	struct x87_environment x87;

	__asm__ volatile("fnstenv %0" : "=m"(x87));
	x87.control = (x87.control & ~0xffffu) | control;
	x87.status = (x87.status & ~X87_FLAGS) | (flags & X87_FLAGS);
	__asm__ volatile("fldenv %0" : : "m"(x87) : "memory");
}

/* Keeps the program's state. Then all traps are off, and numbers are rounded to
 * nearest. Flags that are set stay, if no control is changed. */
static inline void floats_begin(struct floats *floats)
{
	floats_read(floats);
	if (__builtin_expect((floats->mxcsr & ~MXCSR_FLAGS) != MXCSR_AT_START,
			     0))
		floats_write_sse(MXCSR_AT_START);
	if (__builtin_expect(floats->control != X87_CONTROL_AT_START, 0))
		floats_write_x87(X87_CONTROL_AT_START, 0);
}

static inline void floats_end(const struct floats *floats)
{
	struct floats now;

	floats_read(&now);
	if (__builtin_expect(now.mxcsr != floats->mxcsr, 0))
		floats_write_sse(floats->mxcsr);
	if (__builtin_expect(now.control != floats->control ||
				     (now.status ^ floats->status) & X87_FLAGS,
			     0))
		floats_write_x87(floats->control, floats->status);
}

/* Empties the registers of x87, whose values the caller keeps. At an
 * instruction that is no call, the program may have some in use: then the top
 * one is. fxam would report an exception that is pending (ES). */
static inline void floats_empty(void)
{
	struct floats floats;
	uint16_t top = 0;

	floats_read(&floats);
	if (!(floats.status & X87_PENDING)) {
		__asm__ volatile("fxam\n\tfnstsw %0" : "=m"(top));
		if ((top & X87_CLASS) == X87_CLASS_EMPTY)
			return;
	}
	__asm__ volatile("fninit" : : : "memory");
	floats_write_x87(floats.control, floats.status);
}

#endif
