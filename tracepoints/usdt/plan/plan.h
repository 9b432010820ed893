/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plans jumps of five bytes that replace a site and the instructions after it,
 * from the file alone. A site is a probe's nop, which does not move, or an
 * instruction of any kind (`whole`), which does. A plan says which instructions
 * must move and the needs of each in the new place, or why there can be no
 * jump.
 *
 *	probe	90			covered: from the nop to the end of the
 *		48 89 c7		last instruction that begins within
 *		8b 05 xx xx xx xx	what is switched: five bytes
 *
 * If a branch or a call's return leads to an instruction after the nop, another
 * jump begins there, and more bytes are switched:
 *
 *	probe	90		e9 e9 xx xx xx xx: two jumps, from the first
 *	   ->	48 83 7d c8 00	byte and from the second; the third to the fifth
 *				are in both of their operands
 *
 * In a program at a low address the highest byte of an operand cannot be cc, as
 * it would be where an instruction begins at the fifth byte. A jump may have
 * prefixes without an effect, if no instruction begins at the e9:
 *
 *	entry	41 57 41 56 41 55	2e e9 cc xx cc xx: three pushes
 *
 * Where none of this can be, only the bytes of the instruction at the site may
 * be switched, if it is shorter than a jump (`pun`). Those behind it stay, and
 * are the end of the operand:
 *
 *	site	8b 07		e9 xx 74 05 48: the operand's upper bytes are
 *		74 05		given, so the jump leads to a window of 256
 *	   ->	48 89 c2	bytes, of 64 KiB or 16 MiB, or to one address
 *
 * A breakpoint behind the site is a cc in the operand: the jump may lead to as
 * many places as such instructions can have one (jumps/pun-x86_64.c).
 *
 * If another probe's nop is among these bytes, one jump serves both, provided
 * the moved code can tell them apart (tracepoints/usdt/jumps/jump-x86_64.c):
 *
 *	probe	90		a thread that comes here passes both
 *	other	90		a thread that comes here passes this one
 *
 * A site is planned only if all of this is known:
 *  - the function's bounds, from .eh_frame, or from a symbol where a file has
 *    no frames (bounds.c). It decodes from the start to the
 *    nop and over the covered bytes; a function that may jump through a table
 *    decodes as a whole;
 *  - every place after the nop to which compiled code may lead
 *    (scan-private.h): by branches and leas of the function, and of parts of
 *    functions that compilers put apart, or of all code if the function has no
 *    frame or may be such a part; by entries of the jump tables that the
 *    function uses, or that lead there from another one; by addresses in data
 *    or relocations, if it jumps through some. Each such place is an
 *    instruction's start;
 *  - the covered instructions do the same in another place.
 *
 * Invariant: the file is not trusted, and nothing outside it is read. Addresses
 * are as in the file.
 */
#ifndef TRACEPOINTS_USDT_PLAN_PLAN_H
#define TRACEPOINTS_USDT_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "tracepoints/usdt/plan/note.h"

#define USDT_JUMP_BYTES		5
#define USDT_TRAMPOLINE_BYTES	14	/* where a jump leads */
#define USDT_PATCH_MAX		12	/* bytes that are switched */
#define USDT_MOVED_MAX		8	/* instructions */
#define USDT_GATES_MAX		8	/* hits of one jump */
#define USDT_COVERED_MAX	26	/* bytes: the last one begins at 11 */

/* Why a site can have no jump of five bytes. Texts: usdt_reason_text(). */
enum usdt_reason {
	USDT_FINE, USDT_NO_DECODER, USDT_NO_MEMORY, USDT_NO_NOP,
	USDT_NO_FUNCTION, USDT_UNDECODED, USDT_ENDS, USDT_OVERLAPS, USDT_LED_TO,
	USDT_FIXED, USDT_HANDLERS,
	USDT_FAULTS,		/* usdt_plan() never says so: it depends on the
				 * program's handlers */
	USDT_SIGNAL_FRAME,
	USDT_REACH,		/* usdt_plan() never says so, but -ERANGE is
				 * said */
	USDT_PAGES,		/* the same, and -ENOSPC */
	USDT_REASONS
};

/* With a reason for which a function has no jump: a trap could be there. */
#define USDT_TRAPS	32
/* Alone: a jump with bytes of the program could be there. */
#define USDT_PUNS	64

enum usdt_move {
	USDT_COPY,		/* the same bytes */
	USDT_DATA,		/* an operand relative to the next one */
	USDT_BRANCH,		/* jmp */
	USDT_CONDITION,		/* jcc: its condition is in `code` */
	USDT_CALL,
	USDT_CALL_THROUGH,	/* `code` is the offset of its modrm byte,
				 * `field` as in USDT_DATA, or 0 */
	USDT_STAYS,		/* cannot move */
};

/* Whether an instruction may cause SIGSEGV or SIGBUS in a program whose stack
 * and variables are mapped. */
enum usdt_risk {
	USDT_SAFE,
	USDT_SAFE_IN_FRAME,	/* if %rbp points to the function's frame */
	USDT_UNSAFE,
};

/* An instruction that moves. */
struct usdt_moved {
	uint64_t target;	/* not of USDT_COPY */
	uint8_t at;		/* offset from the site */
	uint8_t length;
	uint8_t move;		/* enum usdt_move */
	uint8_t field;		/* USDT_DATA: offset of the operand in it */
	uint8_t code;
	uint8_t faults;		/* it may cause SIGSEGV or SIGBUS */
};

/* A hit in the code that a jump leads to. */
struct usdt_gate {
	uint8_t at;		/* before the instruction at this offset */
	uint8_t leaves;		/* where that jumps on a condition, only if it
				 * does; behind another hit at this offset */
};

struct usdt_plan {
	uint64_t address;	/* of the site; the caller sets it */
	uint8_t whole;		/* the instruction there moves, too; the caller
				 * sets it. 0: it is a probe's nop */
	uint8_t needs;		/* the instruction at this offset moves, too,
				 * if it is behind the switched bytes and
				 * nothing leads there; the caller sets it */
	uint8_t takes;		/* so many bytes are switched at least, as other
				 * jumps have some: behind the new jump cc
				 * wherever an instruction begins; the caller
				 * sets it */
	uint8_t pun;		/* one instruction of less than five bytes
				 * moves, and `starts` has all that begin in the
				 * jump; the caller sets it */
	uint8_t low;		/* an operand with cc as the highest byte leads
				 * below address 0; the caller sets it */
	uint8_t prefixes;	/* of the first jump, if `low` needs them */
	uint8_t reason;		/* enum usdt_reason; 0: the plan is valid */
	uint8_t covered;	/* bytes; also padding, at a function's end */
	uint8_t switched;	/* bytes of the covered ones: 5 or more; or 1:
				 * each hit is a trap; of a pun 1 to 4 */
	uint8_t count;		/* of instructions that move */
	uint8_t limit;		/* why no more could be covered */
	uint8_t beside;		/* another probe's nop is at this offset */
	uint8_t second;		/* its nop is at `beside` of a valid plan */
	uint8_t part;		/* its function is a part of another one */
	uint8_t bare;		/* the function has no frame: any code may lead
				 * there */
	uint8_t apart;		/* it may be a part of another one: any code may
				 * branch there */
	uint8_t faults;		/* an instruction that moves may fault */
	uint8_t ngates;
	struct usdt_gate gates[USDT_GATES_MAX];	/* in the order of the code;
				 * those of probes are set by usdt_plan(),
				 * others by usdt_plan_gate() */
	uint16_t starts;	/* bit k: a switched instruction begins at k */
	uint16_t joins;		/* of `starts`: something leads there */
	uint16_t led;		/* bit k: something is known to lead to k */
	uint64_t start;		/* its function's bounds; 0: unknown */
	uint64_t end;
	uint8_t bytes[USDT_COVERED_MAX];
	struct usdt_moved moved[USDT_MOVED_MAX];
	void *way;		/* that was made by it; the maker sets it */
};

/* One instruction. */
struct usdt_decoded {
	uint64_t target;
	uint8_t length;
	uint8_t move;
	uint8_t field;
	uint8_t code;
	uint8_t leads;		/* branches to `target`, or takes its address */
	uint8_t ends;		/* jump, call, return: may not go on after it */
	uint8_t padding;	/* nop or int3 */
	uint8_t through;	/* a jump through a register or memory */
	uint8_t faults;		/* enum usdt_risk */
};

/*
 * Addresses of the functions of libZydis that are used (4.0): the code that
 * loads or links it fills them in. usdt_decoder_open() fills `state`.
 */
struct usdt_decoder {
	void *init;		/* ZydisDecoderInit */
	void *decode;		/* ZydisDecoderDecodeInstruction */
	uint8_t state[64] __attribute__((aligned(8)));
};

/* Returns 0, or -ENOSYS when there are no functions or they refuse. */
int usdt_decoder_open(struct usdt_decoder *decoder);

/* Returns the decoder that a tool is linked with; NULL in a build without
 * Zydis. Any thread. */
const struct usdt_decoder *usdt_zydis(void);

/* Decodes the instruction at an address. Returns false when there is none. */
bool usdt_decode(const struct usdt_decoder *decoder, const uint8_t *bytes,
		 uint64_t n, uint64_t address, struct usdt_decoded *decoded);

/*
 * Does the same without a decoder, for the instructions that most code is made
 * of. Leaves out `move`, `code`, `padding` and `faults`; sets `field` only of
 * instructions that lead somewhere. Returns false when it needs a decoder to
 * tell, or near the end of the bytes.
 */
bool usdt_decode_plain(const uint8_t *bytes, uint64_t n, uint64_t address,
		       struct usdt_decoded *decoded);

/* Sites that are planned together: of more, all that may lead there would not
 * fit, and what does not fit counts as if it did lead there. */
#define USDT_TOGETHER	2048u

/*
 * Plans sites of a file: sets all members except `address`, `whole`, `needs`,
 * `takes`, `pun` and `low` of each. The caller has sorted them by address.
 * Without a decoder (NULL) all are USDT_NO_DECODER. Maps memory for a moment;
 * keeps none.
 */
void usdt_plan(const struct usdt_file *file, const struct usdt_decoder *decoder,
	       struct usdt_plan *plans, uint32_t n);

/* Tells whether plans for a module that begins at this address are `low`. */
bool usdt_is_low(uint64_t address);

/* Tells whether the jumps of a valid plan can lead somewhere: at a low address
 * an instruction must not begin at the highest byte of an operand, and the
 * place must not cross a page's end where both lower bytes are given. */
bool usdt_plan_leads(const struct usdt_plan *plan);

/*
 * Returns how much memory the place costs where a valid plan's jump leads, as a
 * number to compare: the more bytes of the operand are cc, the fewer jumps lead
 * to one page. The lowest byte says where in a page, the next one in which of
 * 16 pages, the third one in which 64 KiB, the highest one in which 16 MiB. A
 * second jump has the bytes that the first one's operand has decided.
 */
uint32_t usdt_plan_cost(const struct usdt_plan *plan);

/* Returns the offset behind the instructions that a valid plan moves. */
static inline uint32_t usdt_plan_resumes(const struct usdt_plan *plan)
{
	return plan->pun ? plan->switched : plan->covered;
}

/* Tells whether a valid plan moves the instruction at an offset. */
bool usdt_plan_moves(const struct usdt_plan *plan, uint64_t at);

/* Returns the number of a plan's gate, or -1. */
int usdt_plan_gate_find(const struct usdt_plan *plan, uint64_t at, bool leaves);

/* Lets the jump of a valid plan have a hit before an instruction that it moves.
 * Returns 0; or USDT_OVERLAPS: it does not move that, or has no more room. */
int usdt_plan_gate(struct usdt_plan *plan, uint64_t at, bool leaves);

/* Does the same where there is such a hit already: the new one comes behind
 * it. */
int usdt_plan_gate_add(struct usdt_plan *plan, uint64_t at, bool leaves);

/* Returns how many of the sorted plans are before an address. */
uint32_t usdt_plans_before(const struct usdt_plan *plans, uint32_t n,
			   uint64_t address);

/*
 * Returns the plan for a probe, among plans that were made together: the
 * plan of the probe itself, or that of an earlier probe whose jump serves both.
 * NULL when there is none.
 */
struct usdt_plan *usdt_plan_for(struct usdt_plan *plans, uint32_t n,
				uint64_t address);

/* Returns the file name of the library that `struct usdt_decoder` is compiled
 * for, or "". */
const char *usdt_decoder_file(void);

/* Returns a reason in words, for people: "something jumps behind the nop" */
const char *usdt_reason_text(enum usdt_reason reason);

#endif
