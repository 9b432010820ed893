/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds the code and data that may lead to a place after a probe's nop in a
 * file. Part of usdt_plan().
 *
 * The scan reads, byte by byte, the code from which compilers lead there: the
 * nop's own function, and the parts of functions that they put apart; of a nop
 * in such a part, all code. Bytes that look like the end of a branch's or a
 * lea's opcode, with an operand that leads there, are a claim, whether an
 * instruction begins there or not. Only functions with a claim are then
 * decoded, to tell. Addresses in data count only if a function jumps through
 * addresses, or there are such parts, which may.
 *
 * Invariant: a claim may be wrong, but no claim of that code may be missing. A
 * thread that other code leads there all the same comes to a cc, because all
 * instructions' starts have one.
 */
#ifndef TRACEPOINTS_USDT_PLAN_SCAN_PRIVATE_H
#define TRACEPOINTS_USDT_PLAN_SCAN_PRIVATE_H

#include "tracepoints/usdt/plan/image.h"
#include "tracepoints/usdt/plan/plan.h"

/* An instruction that ends at `end` may lead to the target. */
struct usdt_claim {
	uint64_t end;		/* first: claims are sorted by it */
	uint64_t target;
};

/* Blocks of code near sites, a bit each: only an address in one of them may be
 * in a site. */
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
	uint64_t *labels;	/* or NULL: words are noted here, a bit for each
				 * byte from blocks.low on, not in plans */
};

/* Prepares a scan for n plans; n is not 0. Returns 0; or -ENOMEM, and then
 * there is nothing to close. */
int usdt_scan_open(struct usdt_scan *scan, const struct usdt_image *image,
		   struct usdt_plan *plans, uint32_t n);

/* Scans the code and finds the claims. */
void usdt_scan_code(struct usdt_scan *scan);

/* Scans words of the file that may be addresses. */
void usdt_scan_addresses(struct usdt_scan *scan);

/* Notes, in all plans that contain the target, that something leads to it. */
void usdt_scan_led(struct usdt_scan *scan, uint64_t target);

/* Tells whether a file can be loaded only at a fixed address. */
bool usdt_is_fixed(const struct usdt_image *image);

/* Tells whether bytes have a jump through a register or memory, or look so: ff,
 * and 4 in the middle bits of the next byte. */
bool usdt_jumps_through(const uint8_t *bytes, uint64_t n);

/*
 * Finds the places that tables of jumps lead to, if they are not known. A
 * range of more than one byte is code any instruction of which may be meant.
 * Returns 0 or -ENOMEM.
 */
int usdt_places_find(struct usdt_places *places, const struct usdt_image *image,
		     const struct usdt_decoder *decoder);

/* Frees the memory of the scan; the plans stay. */
void usdt_scan_close(struct usdt_scan *scan);

#endif
