/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who in a file may lead behind a probe's nop. Part of usdt_plan().
 *
 * Looked at is what compilers have lead there: the nop's own function, and the
 * parts of functions that they put apart, byte by byte. All that looks like the
 * end of a branch's or a lea's opcode, with an operand that leads there, is a
 * claim, whether an instruction begins there or not; only functions with a
 * claim are decoded, to tell. Addresses in data lead nowhere in a program whose
 * function jumps through none.
 *
 * What must stay true: a claim may be wrong, none may be missing there. Who
 * leads behind a nop from elsewhere all the same comes to a cc there, as all
 * instructions' starts have one.
 */
#ifndef TRACEPOINTS_USDT_PLAN_SCAN_H
#define TRACEPOINTS_USDT_PLAN_SCAN_H

#include "tracepoints/usdt/plan/image.h"
#include "tracepoints/usdt/plan/plan.h"

/* An instruction that ends there may lead to the target. */
struct usdt_claim {
	uint64_t end;
	uint64_t target;
};

/* Where to look for sites that an address is in: a bit for each block of code
 * that one is near. */
struct usdt_blocks {
	uint64_t low;
	uint64_t bytes;
	uint64_t *bits;
	uint64_t mapped;
};

struct usdt_scan {
	const struct usdt_image *image;
	struct usdt_plan *plans;	/* sorted */
	uint32_t count;
	struct usdt_blocks blocks;
	struct usdt_claim *claims;	/* sorted by `end` */
	uint32_t nclaims;
};

/* Makes ready for plans, of which there are some. 0 or -ENOMEM; then nothing is
 * to be closed. */
int usdt_scan_open(struct usdt_scan *scan, const struct usdt_image *image,
		   struct usdt_plan *plans, uint32_t n);

/* Goes through the code; finds the claims. */
void usdt_scan_code(struct usdt_scan *scan);

/* Goes through what may be addresses in the file. */
void usdt_scan_addresses(struct usdt_scan *scan);

/* Something leads to an address: all plans that have it are told. */
void usdt_scan_led(struct usdt_scan *scan, uint64_t target);

void usdt_scan_close(struct usdt_scan *scan);

#endif
