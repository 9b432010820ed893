/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes jumps anew, so that one serves more spots; see jumps.h. A spot may come
 * to an instruction that the jump of another one has moved, or so near that
 * both jumps would cover some byte.
 *
 *	before	55 e9 cc xx xx xx	one spot, at the second byte
 *	after	e9 cc xx xx xx fe	both: an operand, and a byte behind it
 *
 * The new jump leads to new code, and begins no later than the old ones, whose
 * bytes it has, too: behind the jump, cc wherever an instruction begins.
 * Everything of the old ones stays, as threads may be in it. They go on behind
 * the instructions that were moved there, and come to a cc if a hit is due.
 *
 * Invariant: a way is in use (`free` is 0) only when the code is written: a
 * thread may come to a cc of the old jump at any time, and is led on by the new
 * way, or by the old one if it sees no other.
 */
#include "tracepoints/usdt/jumps/jumps.h"

#include <errno.h>

#include "base/base.h"
#include "base/index.h"
#include "tracepoints/usdt/plan/calls.h"
#include "tracepoints/usdt/plan/image.h"

#define EARLIER_MAX	4u	/* instructions before the first place */
#define NEAR_MAX	4u	/* jumps that one replaces */

/* The spots that one jump must serve: addresses in the file. */
struct cluster {
	const struct usdt_sharing *s;
	const struct usdt_spot *spot;	/* the new one */
	struct usdt_function function;	/* in which everything is */
	uint64_t first;		/* instruction that moves */
	uint64_t last;		/* the same */
	uint64_t end;		/* of bytes of jumps */
	uint32_t n;
	struct way *ways[NEAR_MAX];
};

int usdt_share_add(struct usdt_sharing *s, const struct way *way)
{
	return index_add(&s->ways, address_hash(way->site), (uint64_t)way);
}

int usdt_share_open(struct usdt_sharing *s, uint64_t start, uint64_t end)
{
	const struct way *way;
	int ret = 0;

	for (way = usdt_ways; way && !ret; way = way->next)
		if (way->site >= start && way->site < end &&
		    usdt_way_lives(way))
			ret = usdt_share_add(s, way);
	return ret;
}

/* As index_find() asks. */
static bool lives_at(uint64_t value, const void *site)
{
	const struct way *way = (const struct way *)value;

	return way->site == *(const uint64_t *)site && usdt_way_lives(way);
}

/* The gates of the new way, in the order of the spots. */
struct moving {
	struct way *way;
	const struct patcher *patcher;
	uint32_t written;		/* a bit for each gate */
	uint32_t wanted;
	uint32_t n;
	uint8_t gates[USDT_GATES_MAX];
};

/* Adds a way to the cluster. Returns false if one jump cannot serve both. */
static bool cluster_add(struct cluster *c, struct way *way)
{
	uint64_t site = way->site - c->s->base, at;
	const struct usdt_spot *spot;
	uint32_t i = 0;

	while (i < c->n && c->ways[i] != way)
		i++;
	if (i < c->n)
		return true;
	/* the nop of a probe stays where it is, a trap has other rules, and a
	 * pun that is on needs the bytes behind it */
	if (c->n == NEAR_MAX || !way->n || usdt_is_trap(way) || way->beside ||
	    usdt_pun_is_on(way) ||
	    site < c->function.start || site >= c->function.end)
		return false;
	c->ways[c->n++] = way;
	if (site < c->first)
		c->first = site;
	/* the bytes behind a pun belong to that jump, too */
	i = way->puns ? USDT_JUMP_BYTES : way->n;
	if (site + i > c->end)
		c->end = site + i;
	for (spot = way->spots; spot; spot = spot->next) {
		at = spot->address - c->s->base;
		if (spot->given)
			continue;
		if (at > c->last)
			c->last = at;
		if (at >= c->end)
			c->end = at + 1;
	}
	return true;
}

/* Adds the ways that cover bytes between two addresses. Returns false if one
 * jump cannot serve all. */
static bool cluster_find(struct cluster *c, uint64_t start, uint64_t end)
{
	for (uint64_t at = start - USDT_COVERED_MAX + 1; at != end; at++) {
		uint64_t site = c->s->base + at;
		struct way *way = (struct way *)index_find(
			&c->s->ways, address_hash(site), lives_at, &site);

		if (way && (at >= start || at + usdt_way_covers(way) > start) &&
		    !cluster_add(c, way))
			return false;
	}
	return true;
}

/* Plans a jump at an address that serves all. Returns false if it does not, or
 * if it covers bytes of further jumps, which then are in the cluster. */
static bool cluster_plan(struct cluster *c, uint64_t at, struct usdt_plan *plan)
{
	const struct usdt_sharing *s = c->s;
	const struct usdt_spot *spot;
	uint64_t site = s->base + at;
	uint32_t n = c->n, i;
	int why = 0;

	if (c->last - at >= USDT_PATCH_MAX || c->end - at > USDT_PATCH_MAX)
		return false;
	*plan = (struct usdt_plan){ .address = at, .whole = 1, .low = s->low,
				    .needs = (uint8_t)(c->last - at),
				    .takes = (uint8_t)(c->end - at) };
	usdt_plan(s->image->file, s->decoder, plan, 1);
	if (plan->reason || !usdt_plan_leads(plan) ||
	    (plan->faults && usdt_faults_handled()) ||
	    (s->sites && usdt_bytes_taken(s->sites, site, plan->covered)) ||
	    !cluster_find(c, at, at + plan->covered) || n != c->n)
		return false;
	for (i = 0; i < c->n; i++)
		for (spot = c->ways[i]->spots; spot && !why; spot = spot->next)
			if (!spot->given)
				why = usdt_plan_gate_add(
					plan, spot->address - site,
					spot->leaves);
	return !why && !usdt_plan_gate_add(plan, c->spot->address - site,
					   c->spot->leaves);
}

/* Finds the instructions before an address of the function, the nearest first.
 * Returns how many. */
static uint32_t earlier_find(const struct cluster *c,
			     uint64_t starts[static EARLIER_MAX])
{
	uint64_t found[EARLIER_MAX], at, left;
	struct usdt_decoded insn;
	uint32_t n = 0, i;
	const uint8_t *bytes;

	for (at = c->function.start; at < c->first; at += insn.length) {
		bytes = usdt_image_at(c->s->image, at, 1, PF_X, &left);
		if (!bytes ||
		    !usdt_decode(c->s->decoder, bytes, left, at, &insn))
			return 0;
		found[n++ % EARLIER_MAX] = at;
	}
	for (i = 0; i < n && i < EARLIER_MAX; i++)
		starts[i] = found[(n - 1 - i) % EARLIER_MAX];
	return i;
}

/* Fills in the cluster of a spot, and plans the jump. Returns false if there
 * can be none, or the spot is near no other jump. */
static bool cluster_open(struct cluster *c, const struct usdt_sharing *s,
			 const struct usdt_spot *spot, struct usdt_plan *plan)
{
	uint64_t at = spot->address - s->base, starts[EARLIER_MAX];
	uint32_t n, before;

	*c = (struct cluster){ .s = s, .spot = spot, .first = at, .last = at,
			       .end = at };
	if (!s->decoder || !usdt_image_function(s->image, at, &c->function) ||
	    !cluster_find(c, at, at + USDT_JUMP_BYTES) || !c->n)
		return false;
	do {
		before = c->n;
		if (cluster_plan(c, c->first, plan))
			return true;
	} while (c->n != before);
	n = earlier_find(c, starts);
	for (uint32_t i = 0; i < n; i++) {
		before = c->n;
		if (cluster_plan(c, starts[i], plan))
			return true;
		/* a jump that begins earlier is no nearer */
		if (c->n != before)
			return false;
	}
	return false;
}

bool usdt_share_plan(const struct usdt_sharing *s, const struct usdt_spot *spot,
		     struct usdt_plan *plan)
{
	struct cluster c;

	return cluster_open(&c, s, spot, plan);
}

/* Calls fn for each spot of the old ways that was not given back. Stops at an
 * error, and returns it. */
static int spots_each(const struct cluster *c, struct moving *m,
		      int (*fn)(struct moving *m, struct usdt_spot *spot,
				bool on))
{
	struct usdt_spot *spot, *next;
	int ret = 0;

	for (uint32_t i = 0; i < c->n; i++)
		for (spot = c->ways[i]->spots; spot && !ret; spot = next) {
			next = spot->next;
			if (!spot->given)
				ret = fn(m, spot, c->ways[i]->wanted >>
							  spot->gate & 1);
		}
	return ret;
}

/* Writes the stub of a spot. */
static int spot_write(struct moving *m, struct usdt_spot *spot, bool on)
{
	int gate = usdt_gate_write(spot, m->way, m->written, m->patcher);

	if (gate < 0)
		return gate;
	m->written |= 1u << gate;
	m->wanted |= (uint32_t)on << gate;
	m->gates[m->n++] = (uint8_t)gate;
	return 0;
}

/* Moves a spot to the new way. Never fails. */
static int spot_move(struct moving *m, struct usdt_spot *spot, bool on)
{
	struct usdt_spot **link = &spot->way->spots;

	while (*link != spot)
		link = &(*link)->next;
	*link = spot->next;
	spot->way = m->way;
	spot->gate = m->gates[m->n++];
	spot->next = m->way->spots;
	m->way->spots = spot;
	return 0;
}

/* Opens the gates of the spots that are on. */
static int gates_open(const struct moving *m)
{
	const uint8_t *behind = usdt_way_part(m->way, WAY_BEHIND);
	int ret = 0;

	for (uint32_t i = 0; i < m->way->ngates && !ret; i++)
		if (m->wanted >> i & 1)
			ret = patch_byte(m->patcher,
					 (uint8_t *)usdt_way_moved(m->way) +
						 behind[i] - USDT_GATE_BYTES +
						 USDT_GATE_BYTE, 0);
	return ret;
}

int usdt_share_make(struct usdt_sharing *s, struct usdt_spot *spot)
{
	struct moving m = { .patcher = s->patcher };
	struct usdt_plan plan;
	struct cluster c;
	uint32_t i, wanted = 0;
	bool traced = false;
	int ret;

	if (!cluster_open(&c, s, spot, &plan))
		return -EADDRINUSE;
	for (i = 0; i < c.n; i++)
		wanted |= c.ways[i]->wanted;
	ret = wanted ? usdt_traps_ready(&traced) : 0;
	if (!ret)
		ret = usdt_jump_make(&plan, s->base, true, s->patcher);
	if (ret)
		return ret;
	m.way = plan.way;
	ret = spots_each(&c, &m, spot_write);
	if (!ret)
		ret = spot_write(&m, spot, false);
	if (!ret)
		ret = usdt_place_write(s->patcher);
	if (!ret)
		ret = gates_open(&m);
	if (ret) {
		usdt_jump_gone(m.way);
		return ret;
	}
	m.way->wanted = (uint8_t)m.wanted;
	m.way->replaces = 1;
	spot->way = m.way;
	spot->gate = m.gates[m.n - 1];
	m.way->spots = spot;
	m.n = 0;
	spots_each(&c, &m, spot_move);
	/* USDT-WAY: the old ways are in use until the new one is */
	store_release(&m.way->free, 0, USDT_WAY);
	for (i = 0; i < c.n; i++) {
		usdt_switch_gone(c.ways[i]);
		c.ways[i]->replaced = 1;
		store_release(&c.ways[i]->free, 1, USDT_WAY);
	}
	usdt_switch_way(m.way);
	return 0;
}
