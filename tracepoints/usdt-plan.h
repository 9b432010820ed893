/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a jump of five bytes may take the place of a probe's nop and of what
 * follows it, as a file alone can tell: which instructions have to move, what
 * each needs there, and why it cannot be done.
 *
 *	probe	90			covered: from the nop to the end of the
 *		48 89 c7		last instruction that begins within
 *		8b 05 xx xx xx xx	five bytes
 *
 * A site is planned only where all of this is known:
 *  - the function's bounds, from .eh_frame; all of it decodes, from its start
 *    on, and the nop and what is covered are instructions of it;
 *  - nothing leads behind the nop: no operand of any branch or lea of the file
 *    (every four bytes of its code are taken for one), no branch with a short
 *    operand nearby, no address in its data or relocations, no entry of a
 *    table of jumps that its function uses;
 *  - what is covered does the same elsewhere.
 *
 * What must stay true: the file is input, nothing outside it is read. Addresses
 * are those that the file gives.
 */
#ifndef TRACEPOINTS_USDT_PLAN_H
#define TRACEPOINTS_USDT_PLAN_H

#include <stdint.h>

#include "tracepoints/usdt-note.h"

#define USDT_JUMP_BYTES		5
#define USDT_MOVED_MAX		4	/* instructions */
#define USDT_COVERED_MAX	19	/* bytes: the last one begins at 4 */

/* Why no jump of five bytes can be there. Texts: usdt_reason_text(). */
enum usdt_reason {
	USDT_FINE,
	USDT_NO_DECODER,
	USDT_NO_MEMORY,
	USDT_NO_NOP,
	USDT_NO_FUNCTION,
	USDT_UNDECODED,
	USDT_ENDS,
	USDT_OVERLAPS,
	USDT_LED_TO,
	USDT_FIXED,
	USDT_HANDLERS,
	USDT_REASONS
};

enum usdt_move {
	USDT_COPY,		/* the same bytes */
	USDT_DATA,		/* an operand relative to the next one */
	USDT_BRANCH,		/* jmp */
	USDT_CONDITION,		/* jcc: its condition is in `code` */
	USDT_CALL,
	USDT_STAYS,		/* cannot move */
};

/* An instruction that moves. */
struct usdt_moved {
	uint64_t target;	/* of what is not USDT_COPY */
	uint8_t at;		/* offset from the nop */
	uint8_t length;
	uint8_t move;		/* enum usdt_move */
	uint8_t field;		/* USDT_DATA: offset of the operand in it */
	uint8_t code;
};

struct usdt_plan {
	uint64_t address;	/* of the nop; the caller's to set */
	uint8_t reason;		/* enum usdt_reason; else it is valid */
	uint8_t covered;	/* bytes; also padding, at a function's end */
	uint8_t count;		/* of instructions behind the nop */
	uint8_t starts;		/* bit k: one begins at k, for k in 1..4 */
	uint8_t led;		/* bit k: something leads there */
	uint8_t bytes[USDT_COVERED_MAX];
	struct usdt_moved moved[USDT_MOVED_MAX];
};

/* One instruction. */
struct usdt_decoded {
	uint64_t target;
	uint8_t length;
	uint8_t move;
	uint8_t field;
	uint8_t code;
	uint8_t leads;		/* it is a branch to, or takes, `target` */
	uint8_t ends;		/* what follows is not simply next */
	uint8_t padding;	/* nop or int3 */
};

/*
 * The functions of libZydis that are used (4.0), by their addresses: whoever
 * has it loaded or linked fills them in. `state` is usdt_decoder_open()'s.
 */
struct usdt_decoder {
	void *init;		/* ZydisDecoderInit */
	void *decode;		/* ZydisDecoderDecodeInstruction */
	uint8_t state[64] __attribute__((aligned(8)));
};

/* Returns 0, or -ENOSYS when there are no functions or they refuse. */
int usdt_decoder_open(struct usdt_decoder *decoder);

/* Decodes what is at an address; false when it is no instruction. */
int usdt_decode(const struct usdt_decoder *decoder, const uint8_t *bytes,
		uint64_t n, uint64_t address, struct usdt_decoded *decoded);

/*
 * Plans sites of a file: sets all but `address` of each. They are sorted by
 * their addresses before. Without a decoder (NULL) all are USDT_NO_DECODER.
 * Maps memory for a moment; keeps none.
 */
void usdt_plan(const struct usdt_file *file, const struct usdt_decoder *decoder,
	       struct usdt_plan *plans, uint32_t n);

/* The name of the library that `struct usdt_decoder` is compiled for, or "".
 */
const char *usdt_decoder_file(void);

/* For people: "something jumps behind the nop" */
const char *usdt_reason_text(enum usdt_reason reason);

#endif
