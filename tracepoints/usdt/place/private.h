/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ways from probes to their stubs; see usdt.h. In libtaffrail-usdt.so only.
 *
 * Unless it says otherwise, all here is for threads of the agent's own, and
 * the registry's lock is held.
 */
#ifndef TRACEPOINTS_USDT_PLACE_PRIVATE_H
#define TRACEPOINTS_USDT_PLACE_PRIVATE_H

#include "tracepoints/usdt/plan/plan.h"
#include "tracepoints/usdt/usdt.h"

/*
 * USDT-WAY: a way is in the list with all that the handler of SIGTRAP reads of
 * it before the first cc is written; `free` goes off last, and on first.
 */
struct way {
	struct way *next;
	uint64_t lead;		/* what the probe's jump leads to */
	struct stub *stubs[2];	/* of the probe at the site; of one beside it */
	struct usdt_adopted *probes[2];	/* the same; NULL: it is not adopted */
	uint32_t free;		/* its module is gone */
	uint16_t starts;	/* as in the plan; 0: one byte is switched */
	uint16_t joins;		/* as there: a jump begins at these, too */
	uint32_t n;		/* bytes that are switched */
	uint8_t offsets[USDT_PATCH_MAX];	/* in what moved, by `starts` */
	uint8_t off[USDT_PATCH_MAX];	/* the bytes of the program */
	uint8_t on[USDT_PATCH_MAX];	/* the jumps' */
	uint64_t site;
	uint64_t moved;
	uint32_t moved_bytes;
	uint8_t beside;		/* as in the plan: one jump for two probes */
	uint8_t wanted;		/* bit 0: the probe at the site is; 1: other */
	uint8_t pending;	/* it is to be switched */
	uint8_t trapping;	/* n is 1: the cc that is there is ours */
	int32_t refused;	/* what became of that */
	struct way *next_pending;
};

/* All there ever were. */
extern struct way *usdt_ways;

/* Makes a way that needs one byte. 0; -EBUSY when there is no nop; -EADDRINUSE
 * when the bytes behind it lead where something is; -ENOMEM. */
int usdt_place_byte(struct usdt_adopted *probe, const struct patcher *patcher);

/* Makes a way by a plan, which is for a module at `base`. -EBUSY: the program
 * is not as its file; -ERANGE: there is no place within reach. The plan may be
 * that of the probe before this one, if it is for both. */
int usdt_place_jump(struct usdt_adopted *probe, const struct usdt_plan *plan,
		    uint64_t base, const struct patcher *patcher);

/* Takes the way that was made for this probe and another one, if that was.
 * -EADDRINUSE: it was not. */
int usdt_place_beside(struct usdt_adopted *probe,
		      const struct patcher *patcher);

/* Makes a way that is a trap for each hit. -EBUSY when there is no nop. */
int usdt_place_trap(struct usdt_adopted *probe, const struct patcher *patcher);

/* After one or more of these, before anything is switched: what they make is
 * written. If it cannot be, nothing is switched on any more. */
void usdt_place_done(const struct patcher *patcher);

uint8_t *usdt_place_stub(const struct usdt_adopted *probe);
void usdt_place_gone(struct usdt_adopted *probe);

/* A jump of one byte is switched at once, another by usdt_place_flush(). */
int usdt_place_switch(const struct patcher *patcher,
		      struct usdt_adopted *probe, int on);

/* Switches all those together: few steps for many. What became of each is in
 * its `refused`. */
void usdt_place_flush(const struct patcher *patcher);

/* For those who make ways. A stub is never given back; it goes on at `resume`.
 * A lead is code that jumps to an address. 0 or a negative errno. */
struct stub *usdt_stub_take(void);
int usdt_stub_write(struct stub *stub, struct usdt_adopted *probe,
		    uint64_t resume, const struct patcher *patcher);
int usdt_lead_write(uint64_t lead, uint64_t to, const struct patcher *patcher);
struct way *usdt_way_new(void);
void usdt_way_drop(struct way *way);
void usdt_way_add(struct way *way);

/*
 * Writes code that nobody comes to yet, by the time usdt_write_all() is called;
 * where it overlaps, or has to be in order, it is not to be used. 0 or a
 * negative errno.
 */
int usdt_write(const struct patcher *patcher, uint64_t address,
	       const void *bytes, uint32_t n);
int usdt_write_all(const struct patcher *patcher);

#define USDT_LEAD_BYTES	14

/* The switching of jumps of five bytes (switch-x86_64.c). */
int usdt_switch_later(const struct patcher *patcher,
		      struct usdt_adopted *probe, int on);
void usdt_switch_gone(struct way *way);

/* The ways of a module may be free (jump-x86_64.c). */
void usdt_jump_gone(void);

/* A decoder for plans, loaded when it is first asked for; or NULL. */
const struct usdt_decoder *usdt_place_decoder(void);

/* Maps a page of code where nothing is: -EADDRINUSE where something is, or
 * where the heap or a stack may still grow. What it knows of the process for
 * that is looked up anew after usdt_maps_forget(). */
int usdt_page_take(uint64_t address);
void usdt_maps_forget(void);

/*
 * Takes n bytes for code that a jump of 32 bits reaches from the site and from
 * all its module. 0: there are none. Given back they are used again.
 */
uint64_t usdt_near_take(uint64_t site, uint32_t n);
void usdt_near_give(uint64_t address, uint32_t n);

/* The same at an address. 0 or -ERANGE. */
int usdt_near_at(uint64_t site, uint64_t address, uint32_t n);

/* The same, for where a jump at the site leads whose operand must have what
 * `want` has where `mask` has ones: whole bytes, the lowest among them. */
uint64_t usdt_near_lead(uint64_t site, uint32_t mask, uint32_t want,
			uint32_t n);

/*
 * Writes what a plan covers as code that does the same at `to`, and goes on
 * behind it. Sets the offsets of its instructions. Returns how many bytes, or
 * -ERANGE when a target is out of reach, -ENOSPC when n are too few.
 *
 * If the plan is for two probes, the code begins with a gate to the first one's
 * stub, and where the other's nop was is one to that's. A gate is shut: it is
 * open when its byte at USDT_GATE_BYTE is 0.
 */
int usdt_move(uint8_t *code, uint32_t n, uint64_t to,
	      const struct usdt_plan *plan, uint64_t base,
	      struct stub *const stubs[static 2],
	      uint8_t offsets[USDT_PATCH_MAX]);

#define USDT_GATE_BYTES	16
#define USDT_GATE_BYTE	1
#define USDT_GATE_SHUT	14

/*
 * Readies the process for a cc where threads may run: the handler of SIGTRAP
 * is ours, and what it was before is called for all else. -EAGAIN when a thread
 * blocks the signal, which would kill the process.
 */
int usdt_traps_ready(void);

/* Does the program ignore SIGTRAP, or did it when the handler was set? */
int usdt_traps_ignored(void);

#endif
