/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The places where a function is left: returns, and jumps to other functions
 * (tail calls). Exceptions, longjmp() and functions that never return are none.
 *
 * Invariant: the file is not trusted. Nothing outside it is read.
 */
#ifndef TRACEPOINTS_USDT_PLAN_EXITS_H
#define TRACEPOINTS_USDT_PLAN_EXITS_H

#include "tracepoints/usdt/plan/image.h"
#include "tracepoints/usdt/plan/plan.h"

#define USDT_STARTS_MAX	8

enum usdt_leaving {
	USDT_RETURNS,
	USDT_JUMPS,		/* to another function */
	USDT_JUMPS_IF,		/* the same, on a condition */
	USDT_JUMPS_THROUGH,	/* the same, through a register or memory */
};

struct usdt_exit {
	uint64_t address;
	uint64_t target;	/* of USDT_JUMPS and USDT_JUMPS_IF */
	uint8_t length;
	uint8_t leaving;	/* enum usdt_leaving */
	uint8_t count;
	/* where a jump that takes in the exit may begin: the exit, and the
	 * instructions before it, the next one first */
	uint64_t starts[USDT_STARTS_MAX];
};

/*
 * Finds all exits of the function that begins at an address, also in the parts
 * of it that compilers put apart, in the area that usdt_image_parts() finds (0
 * and 0: there is none). Returns how many there are; -ENOENT: the
 * function's bounds are not known; -EILSEQ: it cannot be decoded; -ENOTUNIQ: a
 * jump through a register may leave it or not; -E2BIG: there are more than
 * `room`.
 */
int usdt_exits_find(const struct usdt_image *image,
		    const struct usdt_decoder *decoder, uint64_t area,
		    uint64_t area_end, uint64_t address,
		    struct usdt_exit *exits, uint32_t room);

#endif
