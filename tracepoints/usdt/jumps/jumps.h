/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ways from places in code to their stubs: made, switched and given back while
 * threads run; see usdt.h. Probes (place/adopt.c) and functions
 * (place/functions.c) use them. In libtaffrail-usdt.so only.
 *
 * Unless stated otherwise, only the agent's own threads call these functions,
 * and hold the registry's lock.
 */
#ifndef TRACEPOINTS_USDT_JUMPS_JUMPS_H
#define TRACEPOINTS_USDT_JUMPS_JUMPS_H

#include "tracepoints/usdt/plan/plan.h"
#include "tracepoints/usdt/usdt.h"

/*
 * USDT-WAY: everything that the handler of SIGTRAP reads of a way is written
 * before the way enters the list, and that before the first cc. `free` is
 * cleared last and set first.
 */
struct way {
	struct way *next;
	uint64_t trampoline;		/* target of the probe's jump */
	struct stub *stubs[2];	/* of the probe at the site; of one beside it */
	struct usdt_adopted *probes[2];	/* the same; NULL: not adopted */
	uint64_t site;
	uint64_t moved;
	struct way *next_pending;
	uint16_t starts;	/* as in the plan; 0: one byte is switched */
	uint16_t joins;		/* as in the plan: jumps begin here, too */
	int16_t refused;	/* result of the last switch, 0 or -errno */
	uint8_t n;		/* bytes that are switched */
	uint8_t moved_bytes;
	uint8_t offsets[USDT_PATCH_MAX];	/* in moved code, by `starts` */
	uint8_t off[USDT_PATCH_MAX];	/* bytes of the program */
	uint8_t on[USDT_PATCH_MAX];	/* bytes of the jumps */
	uint8_t free;		/* the module was unloaded */
	uint8_t beside;		/* as in the plan: one jump for two probes */
	uint8_t inside;		/* as in the plan; the probe is the second */
	uint8_t both;		/* as in the plan: an entry and an exit */
	uint8_t prefixes;	/* as in the plan */
	uint8_t given;		/* it is known to have been free */
	uint8_t hit;
	uint8_t covered;	/* as in the plan */
	uint8_t wanted;		/* bit 0: the probe at the site; 1: other */
	uint8_t faults;		/* as in the plan */
	uint8_t turned : 1;		/* on, as usdt_place_flush() wants it */
	uint8_t pending : 1;	/* waits for usdt_place_flush() */
	uint8_t trapping : 1;	/* n is 1: the cc there is the agent's */
};

_Static_assert(sizeof(struct way) <= 128, "a site's memory: docs/functions.md");

/* Returns the number of a probe in `stubs` and `probes` of its way. */
static inline uint32_t usdt_way_which(const struct way *way,
				      const struct usdt_adopted *probe)
{
	if (way->inside)
		return !way->both || probe->function == USDT_EXIT;
	return probe->address != way->site;
}

/* Every way that was ever made. */
extern struct way *usdt_ways;

/* Makes a way that switches one byte. Returns 0; -EBUSY: there is no nop;
 * -EADDRINUSE: something is where the bytes behind the nop lead; -ENOMEM. */
int usdt_place_byte(struct usdt_adopted *probe, const struct patcher *patcher);

/* Makes a way by a plan for a module at `base`. -EBUSY: the code is not as in
 * the file; -ERANGE: there is no place within reach. The plan may be that of
 * the probe before this one, if it is for both. */
int usdt_place_jump(struct usdt_adopted *probe, const struct usdt_plan *plan,
		    uint64_t base, const struct patcher *patcher);

/* Takes the way of a function's entry that has the hit of this exit, too; the
 * plan is the way's. */
int usdt_place_exit(struct usdt_adopted *probe, struct way *way,
		    const struct usdt_plan *plan,
		    const struct patcher *patcher);

/* Takes the way that was made for this probe and another one. -EADDRINUSE:
 * there is none. */
int usdt_place_beside(struct usdt_adopted *probe,
		      const struct patcher *patcher);

/* Makes a way whose every hit is a trap. -EBUSY: there is no nop. */
int usdt_place_trap(struct usdt_adopted *probe, const struct patcher *patcher);

/* Writes the code of ways that were made since the last call. Comes before any
 * of them is switched. If it fails, no probe is switched on any more. */
void usdt_place_done(const struct patcher *patcher);

/* Returns the code that a hit of the probe runs. */
uint8_t *usdt_place_stub(const struct usdt_adopted *probe);

/* Gives the probe's way back, after the module was unloaded. The code stays: a
 * thread may be in it, and the same module may come again. */
void usdt_place_gone(struct usdt_adopted *probe);

/* Switches a jump of one byte at once; any other way waits for
 * usdt_place_flush(). */
int usdt_place_switch(const struct patcher *patcher,
		      struct usdt_adopted *probe, int on);

/* Switches all waiting ways together, in few steps. Sets `refused` of each
 * probe. */
void usdt_place_flush(const struct patcher *patcher);

/* For makers of ways. A stub is never given back; behind it the thread
 * continues at `resume`. A trampoline is code that jumps to an address. Return
 * 0 or a negative errno. */
struct stub *usdt_stub_take(void);
int usdt_stub_write(struct stub *stub, struct usdt_adopted *probe,
		    uint64_t resume, const struct patcher *patcher);
int usdt_trampoline_write(uint64_t trampoline, uint64_t to,
			  const struct patcher *patcher);

/* A new way is in no list; one that was added stays until the process ends.
 * NULL: there is no memory. */
struct way *usdt_way_new(void);
void usdt_way_drop(struct way *way);
void usdt_way_add(struct way *way);

/*
 * Writes code that no thread reaches yet, at the latest in usdt_write_all().
 * Not for writes that overlap or whose order matters. Return 0 or a negative
 * errno.
 */
int usdt_write(const struct patcher *patcher, uint64_t address,
	       const void *bytes, uint32_t n);
int usdt_write_all(const struct patcher *patcher);

#define USDT_TRAMPOLINE_BYTES	14

/* The switching of jumps of five bytes (switch-x86_64.c). */
int usdt_switch_later(const struct patcher *patcher,
		      struct usdt_adopted *probe, int on);
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

/* Takes bytes where a jump at the site can lead whose operand has the bits of
 * `want` where `mask` has ones. The mask is of whole bytes. Returns 0 if there
 * are none. */
uint64_t usdt_near_trampoline(uint64_t site, uint32_t mask, uint32_t want,
			      uint32_t n);

/*
 * Writes code for `to` with the effect of the code that a plan covers, and a
 * jump behind the covered code. Sets the offsets of the instructions. Returns
 * the number of bytes; -ERANGE: a target is out of reach; -ENOSPC: n is too
 * small.
 *
 * If the plan is for two probes, the code begins with a gate to the first
 * probe's stub, and a gate to the other's stub replaces the other's nop. Gates
 * are shut; a gate is open when the byte at USDT_GATE_BYTE is 0.
 */
int usdt_move(uint8_t *code, uint32_t n, uint64_t to,
	      const struct usdt_plan *plan, uint64_t base,
	      struct stub *const stubs[static 2],
	      uint8_t offsets[USDT_PATCH_MAX]);

/* If the hit is inside the moved code (struct usdt_plan), the second stub is
 * that of the hit. It continues USDT_HIT_BYTES behind the instruction's offset;
 * if that jumps on a condition, USDT_HIT_IF_BYTES more. */
#define USDT_HIT_BYTES		14
#define USDT_HIT_IF_BYTES	6

#define USDT_GATE_BYTES	16
#define USDT_GATE_BYTE	1
#define USDT_GATE_SHUT	14

/*
 * Prepares the process for a cc where threads may run: installs the handler of
 * SIGTRAP, which passes other traps to the one before it. -EAGAIN: a thread
 * blocks the signal, so a cc would kill the process.
 */
int usdt_traps_ready(void);

/* Tells whether the program handles SIGSEGV or SIGBUS, is about to, or may do
 * so when the agent can do nothing about it. */
int usdt_faults_handled(void);

/* Tells whether the program ignores SIGTRAP, or did before the handler was
 * installed. */
int usdt_traps_ignored(void);

#endif
