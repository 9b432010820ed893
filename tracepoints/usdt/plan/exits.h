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
	int8_t trap;		/* why each hit is a trap, or 0:
				 * usdt_calls_exits() decides */
	/* where a jump that takes in the exit may begin: the exit, and the
	 * instructions before it, the next one first */
	uint64_t starts[USDT_STARTS_MAX];
};

/* The facts about a file that tell where functions may be left. */
struct usdt_layout {
	uint64_t area;		/* of all parts of functions that compilers put
				 * apart; 0 and 0: there is none */
	uint64_t area_end;
	uint64_t low;		/* of the code */
	uint64_t bytes;
	uint64_t *labels;	/* a bit for each byte of code: data has the
				 * address of it; NULL: not known */
};

/* Finds the facts about a file. Maps memory until it is closed; without memory,
 * `labels` is NULL. */
void usdt_layout_open(struct usdt_layout *layout,
		      const struct usdt_image *image);

void usdt_layout_close(struct usdt_layout *layout);

/* Tells whether a linkage stub is at an address: a jump through a word near by,
 * perhaps behind endbr64. All stubs together have one frame, like a part. */
bool usdt_is_linkage(const struct usdt_image *image, uint64_t address);

/*
 * Finds all exits of the function that begins at an address, also in the parts
 * of it that compilers put apart. Returns how many there are; -ENOENT: the
 * function's bounds are not known; -EILSEQ: it cannot be decoded; -ENOTUNIQ: a
 * jump through a register or memory may leave it or not; -E2BIG: there are more
 * than `room`.
 */
int usdt_exits_find(const struct usdt_image *image,
		    const struct usdt_decoder *decoder,
		    const struct usdt_layout *layout, uint64_t address,
		    struct usdt_exit *exits, uint32_t room);

#endif
