/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a jump of five bytes may take the place of a probe's nop and of what
 * follows it, as a file alone can tell: which instructions have to move, what
 * each needs there, and why it cannot be done.
 *
 *	probe	90			covered: from the nop to the end of the
 *		48 89 c7		last instruction that begins within
 *		8b 05 xx xx xx xx	what is switched: five bytes
 *
 * Where something leads to an instruction behind the nop, be it a branch or a
 * call's return, another jump begins there, and more bytes are switched:
 *
 *	probe	90		e9 e9 xx xx xx xx: two jumps, from the first
 *	   ->	48 83 7d c8 00	byte and from the second; the third to the fifth
 *				are in both of their operands
 *
 * Where the nop of another probe is among these, one jump does for both, if
 * what moves can tell them apart (tracepoints/usdt/place/jump-x86_64.c):
 *
 *	probe	90		one that comes here passes both
 *	other	90		one that comes here passes this one
 *
 * A site is planned only where all of this is known:
 *  - the function's bounds, from .eh_frame; it decodes from its start to the
 *    nop and over what is covered, all of it if it may jump through a table;
 *  - what leads behind the nop, as far as compilers go (scan.h): branches
 *    and leas of its function, and of parts of functions that they put apart;
 *    entries of the tables of jumps that its function uses; and addresses in
 *    data or relocations, if it jumps through some. Each leads to an
 *    instruction's start;
 *  - what is covered does the same elsewhere.
 *
 * What must stay true: the file is input, nothing outside it is read. Addresses
 * are those that the file gives.
 */
#ifndef TRACEPOINTS_USDT_PLAN_PLAN_H
#define TRACEPOINTS_USDT_PLAN_PLAN_H

#include <stdint.h>

#include "tracepoints/usdt/plan/note.h"

#define USDT_JUMP_BYTES		5
#define USDT_PATCH_MAX		12	/* bytes that are switched */
#define USDT_MOVED_MAX		8	/* instructions */
#define USDT_COVERED_MAX	26	/* bytes: the last one begins at 11 */

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
	uint8_t switched;	/* bytes, of those: 5 or more */
	uint8_t count;		/* of instructions behind the nop */
	uint8_t limit;		/* why no more could be covered */
	uint8_t beside;		/* another probe's nop is at this offset */
	uint8_t second;		/* it is at one of a plan that is fine */
	uint16_t starts;	/* bit k: one begins at k, and is switched */
	uint16_t joins;		/* of those: something leads there */
	uint16_t led;		/* to what, as far as it is known */
	uint64_t start;		/* its function's bounds; 0: unknown */
	uint64_t end;
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
	uint8_t through;	/* a jump to where a register or memory says */
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
 * The same without a decoder, for the instructions that most code is made of:
 * all but `move`, `code` and `padding`, and `field` only of what leads
 * somewhere. False where it takes one to tell, or near the end of what may be
 * read.
 */
int usdt_decode_plain(const uint8_t *bytes, uint64_t n, uint64_t address,
		      struct usdt_decoded *decoded);

/*
 * Plans sites of a file: sets all but `address` of each. They are sorted by
 * their addresses before. Without a decoder (NULL) all are USDT_NO_DECODER.
 * Maps memory for a moment; keeps none.
 */
void usdt_plan(const struct usdt_file *file, const struct usdt_decoder *decoder,
	       struct usdt_plan *plans, uint32_t n);

/* Plans, sorted: those before an address are the ones before this place. */
uint32_t usdt_plans_before(const struct usdt_plan *plans, uint32_t n,
			   uint64_t address);

/*
 * The plan for a probe, among those that were planned together: its own, or
 * that of the probe before it whose jump does for both. NULL: there is none.
 */
struct usdt_plan *usdt_plan_for(struct usdt_plan *plans, uint32_t n,
				uint64_t address);

/* The name of the library that `struct usdt_decoder` is compiled for, or "".
 */
const char *usdt_decoder_file(void);

/* For people: "something jumps behind the nop" */
const char *usdt_reason_text(enum usdt_reason reason);

#endif
