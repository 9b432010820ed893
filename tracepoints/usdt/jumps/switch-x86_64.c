/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Switches jumps of five bytes and more, many of them in few steps; see usdt.h.
 *
 * Invariant: a thread that comes to an instruction which is already gone, or
 * not there yet, executes a cc. The cc bytes are written before any other byte
 * and replaced after it, and all threads have seen one step before the next
 * begins. Where a thread blocks SIGTRAP, one store does instead, if one
 * instruction is replaced as a whole, in one word.
 *
 * A debugger that puts a breakpoint at a cc in a jump takes that cc for the
 * program's, and writes it again when the breakpoint goes: into the program's
 * instructions, if the jump is gone by then. So such a jump stays, without
 * hits, as long as a debugger has a thread.
 */
#include "tracepoints/usdt/jumps/jumps.h"

#include <errno.h>

#include "base/base.h"

#define TRAP		0xcc

/* Ways that wait for usdt_place_flush(). */
static struct way *pending;

/* Lets the way wait for usdt_place_flush(), once. */
void usdt_switch_way(struct way *way)
{
	if (!way->pending) {
		way->next_pending = pending;
		pending = way;
	}
	way->pending = 1;
}

int usdt_switch_later(const struct patcher *patcher, struct usdt_spot *spot,
		      int on)
{
	struct way *way = spot->way;
	uint32_t bit = 1u << spot->gate;

	if (way->ngates > 1 && !(way->wanted & bit) == !!on) {
		uint64_t gate = usdt_way_moved(way) +
				usdt_way_part(way, WAY_BEHIND)[spot->gate] -
				USDT_GATE_BYTES;
		int ret = patch_byte(patcher, (uint8_t *)gate + USDT_GATE_BYTE,
				     on ? 0 : USDT_GATE_SHUT);

		if (ret)
			return ret;
	}
	way->wanted = (uint8_t)(on ? way->wanted | bit : way->wanted & ~bit);
	usdt_switch_way(way);
	return 0;
}

void usdt_switch_faulting(void)
{
	struct way *way;

	for (way = usdt_ways; way; way = way->next)
		if (way->faults && way->wanted && !way->free)
			usdt_switch_way(way);
}

void usdt_switch_gone(struct way *way)
{
	struct way **link = &pending;

	while (*link && *link != way)
		link = &(*link)->next_pending;
	if (*link)
		*link = way->next_pending;
	way->pending = 0;
}

/* Returns the bytes that a way has on, or off. */
static const uint8_t *way_bytes(const struct way *way, bool on)
{
	return usdt_way_part(way, on ? WAY_ON : WAY_OFF);
}

/* Tells the spots of a way the result of the switch. A jump that cannot be
 * taken out, as a thread blocks SIGTRAP or a debugger is there, waits for
 * the next usdt_place_flush(). */
static void way_done(struct way *way)
{
	struct usdt_spot *spot;

	if (!way->refused && way->wanted && !way->turned)
		way->refused = usdt_faults.confined ? -ECANCELED : -EFAULT;
	for (spot = way->spots; spot; spot = spot->next)
		spot->refused = way->refused;
	if (!way->refused) {
		way->there = (usdt_is_trap(way) || way->puns) && way->turned;
		way->replaces = 0;
	}
	way->pending = 0;
	if (way->refused && !way->wanted)
		usdt_switch_way(way);
}

/* Tells whether a uprobe at a nop was removed since the switch: the kernel
 * then restores the byte of the file. */
static bool jump_is_worn(const struct way *way)
{
	const uint8_t *code = (const uint8_t *)way->site;
	const uint8_t *on = usdt_way_part(way, WAY_ON);
	const uint8_t *off = usdt_way_part(way, WAY_OFF);

	for (uint32_t k = 0; k < way->n; k++)
		if (code[k] != on[k] &&
		    (code[k] != off[k] || (k && k != way->beside)))
			return false;
	return true;
}

/* Tells whether a way has to be switched. If not, `refused` has the result. */
static bool switch_is_due(struct way *way, const struct patcher *patcher)
{
	uint8_t *at = (uint8_t *)way->site;
	int on = way->turned;
	const uint8_t *from = way_bytes(way, !on);
	const uint8_t *to = way_bytes(way, on);

	way->refused = 0;
	if (usdt_is_trap(way)) {
		/* a cc may also belong to a debugger or a uprobe */
		if (*at == TRAP && way->there)
			return !on;
		if (!on)
			return false;
		if (*at != from[0])
			way->refused = -EBUSY;
		else if (usdt_traps_ignored())
			way->refused = -EPERM;
		return !way->refused;
	}
	if (!on && !__builtin_memcmp(at, to, way->n))
		return false;
	/* a byte alone does not tell its jump from one that others wrote */
	if ((on || way->n == 1) && !usdt_pun_holds(way)) {
		way->refused = -EBUSY;
		return false;
	}
	if (on && !__builtin_memcmp(at, to, way->n))
		return false;
	if (on && usdt_puns_on(way->site, way->site + way->n, true)) {
		way->refused = -EBUSY;
		return false;
	}
	if (on && jump_is_worn(way)) {
		/* writes the bytes that a uprobe has replaced, the nop's
		 * last */
		if (way->beside)
			way->refused = patch_byte(patcher, at + way->beside,
						  to[way->beside]);
		if (!way->refused)
			way->refused = patch_byte(patcher, at, to[0]);
		return false;
	}
	if (!__builtin_memcmp(at, from, way->n) || jump_is_worn(way) ||
	    (way->replaces &&
	     usdt_ways_code(way->site, usdt_way_part(way, WAY_OFF), way->n))) {
		way->there |= way->puns && on;
		if (way->n > 1)
			return true;
		way->refused = patch_byte(patcher, at, to[0]);
		return false;
	}
	way->refused = -EBUSY;
	return false;
}

enum step {
	STEP_CLOSE,		/* cc at the nop: threads may come by a join */
	STEP_GUARD,		/* cc wherever an instruction begins */
	STEP_BODY,		/* all other bytes final */
	STEP_STARTS,		/* all but the nop final */
	STEP_OPEN,		/* all final */
};

/* Writes the bytes that a way has after a step that matters to it. */
static int step_write(const struct way *way, enum step step,
		      const struct patcher *patcher)
{
	const uint8_t *to = way_bytes(way, way->turned);
	uint8_t *code = (uint8_t *)way->site;
	uint8_t bytes[USDT_PATCH_MAX];

	if (step == STEP_CLOSE)
		return patch_byte(patcher, code, TRAP);
	if (step == STEP_OPEN)
		return patch_byte(patcher, code, to[0]);
	bytes[0] = TRAP;
	for (uint32_t k = 1; k < way->n; k++) {
		if (way->starts >> k & 1 && step != STEP_STARTS)
			bytes[k] = TRAP;
		else
			bytes[k] = step == STEP_GUARD ? code[k] : to[k];
	}
	return patch_write(patcher, code, bytes, way->n);
}

/* Tells whether a step changes anything for a way. */
static bool step_matters(const struct way *way, enum step step)
{
	if (usdt_is_trap(way))
		return step == STEP_OPEN;
	if (step == STEP_CLOSE)
		return !way->turned && way->joins;
	return step != STEP_STARTS || !way->turned || way->joins;
}

/* A way that cannot be written takes no further step, and keeps the cc. */
static void step_all(struct way *list, enum step step,
		     const struct patcher *patcher)
{
	struct way *way;
	int any = 0;

	for (way = list; way; way = way->next_pending) {
		if (way->refused || !step_matters(way, step))
			continue;
		way->refused = step_write(way, step, patcher);
		any = 1;
	}
	if (any)
		patch_sync();
}

/* Takes ways that are not due out of the list. Returns the others. A jump that
 * moves code which may fault must be off while the program handles faults. */
static struct way *pending_sift(const struct patcher *patcher)
{
	struct way *list = pending;
	struct way **link = &list;
	int handled = -1;

	pending = NULL;
	while (*link) {
		struct way *way = *link;

		if (way->faults && way->wanted && handled < 0)
			handled = usdt_faults_handled();
		way->turned = way->wanted && !(way->faults && handled);
		if (switch_is_due(way, patcher)) {
			link = &way->next_pending;
			continue;
		}
		*link = way->next_pending;
		way_done(way);
	}
	return list;
}

/* Tells whether the switch may lead a thread to a cc. Removing a trap does not,
 * and is all the more needed where threads block the signal. */
static bool needs_traps(const struct way *way)
{
	return way->turned || !usdt_is_trap(way);
}

/* Ways that are switched together: meanwhile a thread that begins to block
 * SIGTRAP is not seen. */
#define TOGETHER	64

/* Takes the first ways out of a list. Returns the rest. */
static struct way *portion_cut(struct way *list)
{
	struct way *rest;

	for (uint32_t n = 1; n < TOGETHER && list->next_pending; n++)
		list = list->next_pending;
	rest = list->next_pending;
	list->next_pending = NULL;
	return rest;
}

#define WORD_BYTES	8u

/* Switches those ways of a list that need no trap, and takes them out: threads
 * find the old instruction or the new one. Returns the others. */
static struct way *singles_switch(struct way *list)
{
	struct way **link = &list;
	int any = 0;

	while (*link) {
		struct way *way = *link;
		uint32_t at = way->site % WORD_BYTES;
		uint64_t *word = (uint64_t *)(way->site - at);
		uint64_t was = load_relaxed(word), value = was;

		if (usdt_is_trap(way) || way->n > USDT_JUMP_BYTES ||
		    way->starts != 1 ||
		    at + way->n > WORD_BYTES) {
			link = &way->next_pending;
			continue;
		}
		__builtin_memcpy((uint8_t *)&value + at,
				 way_bytes(way, way->turned), way->n);
		way->refused = patch_word(word, was, value);
		any = 1;
		*link = way->next_pending;
		way_done(way);
	}
	if (any)
		patch_sync();
	return list;
}

/* Switches all ways of a list, in few steps. */
static void portion_switch(struct way *list, const struct patcher *patcher)
{
	struct way *way = list;
	struct way *next;
	bool traced = false;
	int ret = 0;

	while (way && !needs_traps(way))
		way = way->next_pending;
	if (way)
		ret = usdt_traps_ready(&traced);
	if (ret)
		list = singles_switch(list);
	for (way = list; way; way = way->next_pending) {
		/* a jump that is to go may hide a debugger's breakpoint */
		bool hides = traced && !usdt_is_trap(way) && !way->wanted &&
			     way->starts != 1;

		way->refused = !needs_traps(way) ? 0 : hides ? -EBUSY : ret;
	}
	for (int step = STEP_CLOSE; step <= STEP_OPEN; step++)
		step_all(list, (enum step)step, patcher);
	for (way = list; way; way = next) {
		next = way->next_pending;
		way_done(way);
	}
}

void usdt_place_flush(const struct patcher *patcher)
{
	struct way *list, *rest;

	/* a handler that came unseen */
	if (usdt_faults.ways && usdt_faults_handled())
		usdt_switch_faulting();
	list = pending ? pending_sift(patcher) : NULL;
	for (; list; list = rest) {
		rest = portion_cut(list);
		portion_switch(list, patcher);
	}
	usdt_faults.left = !!pending;
}
