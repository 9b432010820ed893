/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ways from places in code to their stubs: made, switched and given back while
 * threads run; see usdt.h. A place is a spot, whatever it is for: probes
 * (place/adopt.c), functions (place/functions.c), and any other instruction
 * (usdt_spots_place()). In libtaffrail-usdt.so only.
 *
 * Spots that are close to each other share a jump. The code that it leads to
 * has a gate for each of them, which leads to the stub of the spot:
 *
 *	site	e9 xx xx xx xx		a jump for three spots
 *	         |
 *	         +--> gate: jmp *stub, or past it
 *	              instruction
 *	              gate
 *	              instruction
 *	              gate
 *	              instruction; jmp past the covered ones
 *
 * Unless stated otherwise, only the agent's own threads call these functions,
 * and hold the registry's lock.
 */
#ifndef TRACEPOINTS_USDT_JUMPS_JUMPS_H
#define TRACEPOINTS_USDT_JUMPS_JUMPS_H

#include <stddef.h>

#include "tracepoints/usdt/plan/plan.h"
#include "tracepoints/usdt/usdt.h"

/*
 * USDT-WAY: everything that the handler of SIGTRAP reads of a way is written
 * before the way enters the list, and that before the first cc. `free` is
 * cleared last and set first; `replaced` is set before that.
 */
struct way {
	struct way *next;
	struct stub *stubs;		/* one for each gate */
	struct usdt_spot *spots;	/* that have a gate */
	uint64_t site;
	struct way *next_pending;
	int32_t moved;		/* code: address less the site's */
	uint16_t starts;	/* as in the plan; 0: one byte is switched */
	uint16_t joins;		/* as in the plan: jumps begin here, too */
	int16_t refused;	/* result of the last switch, 0 or -errno */
	uint8_t n;		/* bytes that are switched */
	uint8_t moved_bytes;
	uint8_t free;		/* the module was unloaded */
	uint8_t ngates;
	uint8_t beside;		/* as in the plan */
	uint8_t prefixes;	/* as in the plan */
	uint8_t covered;	/* as in the plan */
	uint8_t wanted;		/* a bit for each gate */
	uint8_t puns;		/* bit k: an instruction begins at k whose bytes
				 * are in the operand, and stay. 0: all bytes of
				 * the jump are switched */
	uint8_t faults : 1;	/* as in the plan */
	uint8_t given : 1;	/* it is known to have been free */
	uint8_t direct : 1;	/* the jump leads to the stub */
	uint8_t turned : 1;		/* on, as usdt_place_flush() wants it */
	uint8_t pending : 1;	/* waits for usdt_place_flush() */
	uint8_t there : 1;	/* of traps and puns: it is in the code */
	uint8_t replaces : 1;	/* a jump of another way may be there */
	uint8_t replaced : 1;	/* by another way: never used again */
	uint8_t bytes[];	/* usdt_way_part() */
};

_Static_assert(offsetof(struct way, bytes) + 3 * USDT_JUMP_BYTES + 4 <= 80,
	       "a site's memory: docs/functions.md");

enum usdt_way_part {
	WAY_ON,			/* bytes of the jumps; all of a jump of which
				 * one is switched */
	WAY_OFF,		/* bytes of the program */
	WAY_OFFSETS,		/* in moved code, by `starts` */
	WAY_GATES,		/* which they are: WAY_GATE */
	WAY_BEHIND,		/* by gates: offsets in moved code where hits
				 * continue; with several gates, the ends of
				 * the gates */
};

/* Returns the first of the bytes for a part: n, or as many as gates. */
static inline uint8_t *usdt_way_part(const struct way *way,
				     enum usdt_way_part part)
{
	uint32_t n = way->n > USDT_JUMP_BYTES ? way->n : USDT_JUMP_BYTES;

	return (uint8_t *)way->bytes +
	       (part == WAY_BEHIND ? 3 * n + way->ngates : part * n);
}

#define WAY_GATE(at, leaves)	((uint8_t)((at) << 1 | (leaves)))

/* Tells whether each hit is a trap. */
static inline bool usdt_is_trap(const struct way *way)
{
	return way->n == 1 && !way->puns;
}

/* Returns how many bytes of the program a way has for itself. */
static inline uint32_t usdt_way_covers(const struct way *way)
{
	return way->covered ? way->covered : USDT_JUMP_BYTES;
}

/* Tells whether a spot of the way was not given back. */
static inline bool usdt_way_lives(const struct way *way)
{
	const struct usdt_spot *spot = way->spots;

	while (spot && spot->given)
		spot = spot->next;
	return !way->free && spot;
}

/* Returns where the code is that instructions were moved to. */
static inline uint64_t usdt_way_moved(const struct way *way)
{
	return way->site + (uint64_t)(int64_t)way->moved;
}

/* Returns where a jump leads that begins at an offset among the bytes of a
 * site. */
static inline uint64_t usdt_jump_target(const uint8_t *bytes, uint64_t site,
					uint32_t start)
{
	int32_t operand;

	__builtin_memcpy(&operand, bytes + start + 1, sizeof(operand));
	return site + start + USDT_JUMP_BYTES + (uint64_t)(int64_t)operand;
}

/* Tells whether a way's jump has program bytes in its operand, and may be in
 * the code. Such a way keeps these bytes from others until the jump is out. */
static inline bool usdt_pun_is_on(const struct way *way)
{
	return way->puns && way->there && !way->free;
}

/* Every way that was ever made; the newest first. */
extern struct way *usdt_ways;

/*
 * The ways that may have a cc at an address (lookup.c). From the table, the
 * newer comes later, and others are among them; without one, or where only some
 * bits of the address are known, all ways of the list come.
 */
struct usdt_lookup {
	const struct way_table *table;	/* NULL: the list */
	const struct way *way;
	uint64_t slot;
};

/* Begins, and returns the next way or NULL. SIGSAFE. */
struct usdt_lookup usdt_lookup_open(uint64_t address, uint64_t mask);
const struct way *usdt_lookup_next(struct usdt_lookup *lookup);

/* Makes a way that switches one byte, for a spot at a nop. Returns 0; -EBUSY:
 * there is no nop; -EADDRINUSE: something is where the bytes behind the nop
 * lead; -ENOMEM. */
int usdt_place_byte(struct usdt_spot *spot, const struct patcher *patcher);

/* Makes the way of a plan for a module at `base`, or takes that which the plan
 * has; a gate of the plan is the spot's. -EBUSY: the code is not as in the
 * file; -EADDRINUSE: the agent has changed it; -ERANGE: there is no place
 * within reach. */
int usdt_place_jump(struct usdt_spot *spot, struct usdt_plan *plan,
		    uint64_t base, const struct patcher *patcher);

/* Makes the way of a plan, which the plan then has: `free`, and in no module's
 * use, until the code is written. `lent`: jumps of live ways may be among the
 * bytes. Returns as usdt_place_jump(). */
int usdt_jump_make(struct usdt_plan *plan, uint64_t base, bool lent,
		   const struct patcher *patcher);

/* Writes the stub of a gate that a spot is to have, which is none of a set of
 * numbers. Returns the number, or a negative errno. */
int usdt_gate_write(struct usdt_spot *spot, const struct way *way,
		    uint32_t others, const struct patcher *patcher);

/* Gives a spot a gate of a way that is there. -EADDRINUSE: it has none, or
 * other spots have them. */
int usdt_place_join(struct usdt_spot *spot, struct way *way,
		    const struct patcher *patcher);

/* Takes the way that was made for this probe and another one. -EADDRINUSE:
 * there is none. */
int usdt_place_beside(struct usdt_spot *spot, const struct patcher *patcher);

/* Makes a way whose every hit is a trap, at a nop. -EBUSY: there is none. */
int usdt_place_trap(struct usdt_spot *spot, const struct patcher *patcher);

/* Writes the code of ways that were made since the last call. Comes before any
 * of them is switched. If it fails, no probe is switched on any more. */
void usdt_place_done(const struct patcher *patcher);

/* Writes that code before the last call. Returns 0 or a negative errno. */
int usdt_place_write(const struct patcher *patcher);

/* Returns the code that a hit of the spot runs. */
uint8_t *usdt_place_stub(const struct usdt_spot *spot);

/* Gives the spot's way back, after the module was unloaded. The code stays: a
 * thread may be in it, and the same module may come again. */
void usdt_place_gone(struct usdt_spot *spot);

/* Switches a jump of one byte at once; any other way waits for
 * usdt_place_flush(). */
int usdt_place_switch(const struct patcher *patcher, struct usdt_spot *spot,
		      int on);

/* Tells whether the spot's way waits for usdt_place_flush(): its jump may be in
 * the code. */
static inline bool usdt_place_waits(const struct usdt_spot *spot)
{
	return spot->way->pending;
}

/* Switches all waiting ways together, in few steps. Sets `refused` of each
 * spot. A way that cannot be switched off waits for the next call. */
void usdt_place_flush(const struct patcher *patcher);

#define USDT_STUB_BYTES	64

/* Returns stub number i of several. */
static inline struct stub *usdt_stub_at(struct stub *stubs, uint32_t i)
{
	return (struct stub *)((char *)stubs + i * USDT_STUB_BYTES);
}

/* Where a site is asked for: a file, by the build id, and an address there. */
struct usdt_target {
	const uint8_t *build_id;	/* NULL: of the file at hand */
	uint32_t bytes;
	uint64_t offset;
};

/* Tells whether a file is that of a target. */
bool usdt_target_in(const struct usdt_target *target,
		    const struct usdt_file *file);

/* A spot that is to be placed. */
struct usdt_request {
	struct usdt_target target;
	struct usdt_spot *spot;		/* usdt_spots_place() sets the
					 * address; all else 0 */
	int why;		/* why it has no way: enum usdt_reason, or a
				 * negative errno; 0: it has one */
	bool punned;		/* it has a jump with bytes of the program */
	int told;		/* why it has no jump, for sessions without
				 * traps: with USDT_TRAPS if a trap could be
				 * there, or is */
	bool traps;		/* where there can be no jump */
};

/*
 * Places spots before instructions of the module at `base`, whose file this is:
 * any that begin there. The requests are sorted by offset. No jump covers a
 * byte of the set `sites`, or NULL. Returns how many spots were placed, all
 * off, and sets `why` of each; or -ENOEXEC or -ENOMEM, or -ESTALE: a target is
 * in another file; and none is. Each is switched alone (usdt_place_switch()).
 * Where jumps of spots are that came earlier, usdt_share_make() makes these
 * anew.
 */
int usdt_spots_place(const struct usdt_file *file, uint64_t base,
		     struct usdt_request *requests, uint32_t n,
		     const struct index *sites, const struct patcher *patcher);

/* Switches a spot off and lets others have the bytes of the jump, once no spot
 * of that is left. The spot stays, as threads may be in the stub, and
 * usdt_place_gone() is called when the module is gone. Returns as
 * usdt_place_switch(). The second one takes it back: 0; or USDT_OVERLAPS, when
 * others have the bytes, or the program handles faults that may come from the
 * code. The third one tells whether the jump could not be taken out. If not,
 * the fourth one lets the spot be placed anew; else none would have the jump,
 * and it would be looked at when the module is gone. */
int usdt_spot_give(const struct patcher *patcher, struct usdt_spot *spot);
int usdt_spot_regain(struct usdt_spot *spot);
bool usdt_spot_stuck(const struct usdt_spot *spot);
void usdt_spot_forget(struct usdt_spot *spot);

/* Adds the bytes that jumps with spots cover between two addresses, as
 * usdt_bytes_take(). */
int usdt_ways_take(struct index *taken, uint64_t start, uint64_t end);

/* Adds the ways of a module that have gates without a spot to a set, by the
 * places of the gates. Returns 0 or -ENOMEM. The second one returns the way
 * with a gate for a spot, or NULL. */
int usdt_gates_find(struct index *gates, uint64_t start, uint64_t end);
struct way *usdt_gates_way(const struct index *gates, uint64_t address,
			   bool leaves);

/*
 * The jumps of a module that may be made anew, so that they have gates for more
 * spots (share.c). `image` to `low` are set by the caller, and `ways` has all
 * live ways there (usdt_share_open(), usdt_share_add(); index_clear()).
 */
struct usdt_sharing {
	const struct usdt_image *image;
	const struct usdt_decoder *decoder;
	const struct index *sites;	/* bytes that no jump covers; or NULL */
	const struct patcher *patcher;
	uint64_t base;
	bool low;			/* as in a plan */
	struct index ways;		/* by site */
};

/* Fills `ways` from what is between two addresses; adds one. Return 0 or
 * -ENOMEM. */
int usdt_share_open(struct usdt_sharing *s, uint64_t start, uint64_t end);
int usdt_share_add(struct usdt_sharing *s, const struct way *way);

/* Plans one jump for a spot that has no way, and for all spots whose jumps are
 * in its way. Returns false if there can be none, or it is near no other
 * jump. */
bool usdt_share_plan(const struct usdt_sharing *s, const struct usdt_spot *spot,
		    struct usdt_plan *plan);

/*
 * Does that: makes the way, and gives gates of it to all these spots. The old
 * jumps are there, and lead to the old code, until usdt_place_flush() replaces
 * them. The spots that are on stay on, and miss no hit. Returns 0;
 * -EADDRINUSE where usdt_share_plan() is false, -EAGAIN if a thread blocks
 * SIGTRAP, or another negative errno, and then nothing has changed.
 */
int usdt_share_make(struct usdt_sharing *s, struct usdt_spot *spot);

/* For makers of ways. Stubs are taken n at a time; only those taken last may be
 * given back, if no thread was led to them. Behind one the thread continues at
 * `resume`. A trampoline is code that jumps to an address. The writers return 0
 * or a negative errno. */
struct stub *usdt_stubs_take(uint32_t n);
void usdt_stubs_give(struct stub *taken);
int usdt_stub_write(struct stub *stub, struct usdt_spot *spot,
		    uint64_t resume, const struct patcher *patcher);
int usdt_trampoline_write(uint64_t trampoline, uint64_t to,
			  const struct patcher *patcher);

/* A new way, with n bytes that are switched and some gates, is in no list; one
 * that was added stays until the process ends. NULL: there is no memory. */
struct way *usdt_way_new(uint32_t n, uint32_t ngates);
void usdt_way_drop(struct way *way);
void usdt_way_add(struct way *way);

/* Tells whether memory has the bytes of the file at a place, but for jumps that
 * are on there. */
bool usdt_ways_code(uint64_t at, const uint8_t *file, uint32_t n);

/*
 * Writes code that no thread reaches yet, at the latest in usdt_write_all().
 * Not for writes that overlap or whose order matters. Return 0 or a negative
 * errno.
 */
int usdt_write(const struct patcher *patcher, uint64_t address,
	       const void *bytes, uint32_t n);
int usdt_write_all(const struct patcher *patcher);

/* The switching of jumps of five bytes (switch-x86_64.c). */
int usdt_switch_later(const struct patcher *patcher, struct usdt_spot *spot,
		      int on);
/* Has a way switched as it is wanted by the next usdt_place_flush(). */
void usdt_switch_way(struct way *way);
/* Forgets a switch that waits. */
void usdt_switch_gone(struct way *way);
/* Has all wanted ways with instructions that may fault switched by the next
 * usdt_place_flush(): the program has a handler for faults now. */
void usdt_switch_faulting(void);

/* Notes that a way has become free (jump-x86_64.c). */
void usdt_jump_gone(struct way *way);

/* Returns the decoder for plans, loaded at the first call; or NULL. */
const struct usdt_decoder *usdt_place_decoder(void);

/* Maps a page of code. -EADDRINUSE: something is there, or the heap or a stack
 * may grow into it. usdt_maps_forget() drops the list of mappings. */
int usdt_page_take(uint64_t address);
void usdt_maps_forget(void);

/*
 * Takes n bytes for code that a jump of 32 bits reaches from the site and from
 * the whole module. Returns 0 if there are none. Bytes that are given back are
 * used again.
 */
uint64_t usdt_near_take(uint64_t site, uint32_t n);
void usdt_near_give(uint64_t address, uint32_t n);

/* Takes the bytes at an address. Returns 0 or -ERANGE. */
int usdt_near_at(uint64_t site, uint64_t address, uint32_t n);

/* Does the same at any distance, in a new page only if *left is not 0, which
 * then counts down. Returns 0; -ERANGE: there is no page; -EADDRINUSE: others
 * have the bytes. The second one gives bytes back that no thread was led to,
 * and the page if nothing is left there; *left counts up if it counted down. */
int usdt_near_exact(uint64_t address, uint32_t n, uint32_t *left);
void usdt_near_undo(uint64_t address, uint32_t n, uint32_t *left);

/*
 * Jumps whose operand ends in bytes of the program (pun-x86_64.c). The first
 * one lists where one may lead: by its bytes, and by a cc in place of some of
 * the instructions that begin there. The second one chooses the n - 1 bytes of
 * the operand that are free, and takes all these places. Returns 0; -ERANGE:
 * they cannot be had; -ENOSPC: the process has as many such pages as it may
 * have. The third one gives them back. The last one tells whether memory behind
 * the site has what the operand needs.
 */
#define USDT_PUNS_MAX	16u	/* places of one jump */
uint32_t usdt_pun_targets(const uint8_t *on, uint64_t site, uint32_t puns,
			  uint64_t targets[static USDT_PUNS_MAX]);
int usdt_pun_take(uint8_t *on, uint64_t site, uint32_t n, uint32_t puns);
void usdt_pun_give(const uint8_t *on, uint64_t site, uint32_t puns);
bool usdt_pun_holds(const struct way *way);

/* Notes a way with `puns`; tells whether the jump of one is on whose bytes, or
 * bytes of the operand, are between two addresses. `lent`: those with spots do
 * not count. */
int usdt_puns_add(const struct way *way);
bool usdt_puns_on(uint64_t start, uint64_t end, bool lent);

/* Takes bytes where a jump at the site can lead whose operand has the bits of
 * `want` where `mask` has ones. The mask is of whole bytes. Returns 0 if there
 * are none. */
uint64_t usdt_near_trampoline(uint64_t site, uint32_t mask, uint32_t want,
			      uint32_t n);

/* Offsets in the code that usdt_move() has written. */
struct usdt_written {
	uint8_t offsets[USDT_PATCH_MAX];	/* of gates before, and of
						 * instructions, by theirs */
	uint8_t behind[USDT_GATES_MAX];		/* WAY_BEHIND */
};

/*
 * Writes code for `to` with the effect of the code that a plan covers, with
 * gates to the stubs, and a jump behind the covered code. Returns the number of
 * bytes; -ERANGE: a target is out of reach; -ENOSPC: n is too small.
 *
 * Of several gates each is shut; it is open when the byte at USDT_GATE_BYTE of
 * it is 0. A single one is always open: the jump is not there while the spot is
 * off. If that is where the jump leads (usdt_is_direct()), it is not in the
 * code.
 */
int usdt_move(uint8_t *code, uint32_t n, uint64_t to,
	      const struct usdt_plan *plan, uint64_t base, struct stub *stubs,
	      struct usdt_written *written);

/* Tells whether a plan's jump leads to the only stub, and that to the code. */
bool usdt_is_direct(const struct usdt_plan *plan);

#define USDT_GATE_BYTES	16
#define USDT_GATE_BYTE	1
#define USDT_GATE_SHUT	14
#define USDT_HIT_BYTES	14	/* a gate that is always open */
#define USDT_HIT_IF_BYTES 6	/* before a gate on a condition */

/*
 * Prepares the process for a cc where threads may run: installs the handler of
 * SIGTRAP, which passes other traps to the one before it. -EAGAIN: a thread
 * blocks the signal, so a cc would kill the process. Otherwise `traced` is set
 * when a debugger has a thread, and stays as it is when none has.
 */
int usdt_traps_ready(bool *traced);

/*
 * Returns where a thread continues that has executed a cc of the agent's at the
 * address; 0: there is none. Of the address only the bits of `mask` are known.
 * With `moved` it is the program counter, which a debugger may have moved.
 * SIGSAFE.
 */
uint64_t usdt_trap_target(uint64_t address, uint64_t mask, bool moved);

/* Tells whether the program handles SIGSEGV or SIGBUS, is about to, or may do
 * so when the agent can do nothing about it. */
bool usdt_faults_handled(void);

/* Tells whether the program ignores SIGTRAP, or did before the handler was
 * installed. */
bool usdt_traps_ignored(void);

#endif
