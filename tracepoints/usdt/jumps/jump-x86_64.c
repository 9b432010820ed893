/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes jumps of five bytes from plans, and more bytes where other code leads
 * behind the nop; see usdt.h and tracepoints/usdt/plan/plan.h.
 */
#include "tracepoints/usdt/jumps/jumps.h"

#include <errno.h>
#include <link.h>

#include "base/base.h"
#include "base/index.h"
#include "tracepoints/program/modules.h"

#define JUMP		0xe9
#define TRAP		0xcc
#define NOP		0x90
#define PREFIX		0x2e		/* of a segment: without effect */
#define MOVED_MAX	255
#define JUMPS_MAX	(USDT_PATCH_MAX - USDT_JUMP_BYTES + 1)
#define TRIES		8	/* places for the first of several jumps */

/* The jumps of a way while they are made: where they begin, where they lead,
 * and which bytes are decided. */
struct making {
	uint64_t site;
	uint32_t beside;
	uint32_t count;
	uint32_t starts[JUMPS_MAX];
	uint64_t trampolines[JUMPS_MAX];
	uint8_t bytes[USDT_PATCH_MAX];
	uint8_t given[USDT_PATCH_MAX];
};

#define TRAMPOLINES_MAX	3

/*
 * Lists where a jump may lead: by the bytes of the jump, and by bytes that
 * others may write among them, where another probe's nop was. A uprobe or a
 * breakpoint that is set there writes cc; a uprobe that is removed writes the
 * file's byte.
 */
static uint32_t trampolines_of(const uint8_t *on, uint64_t site, uint32_t start,
			       uint32_t beside,
			       uint64_t trampolines[static TRAMPOLINES_MAX])
{
	static const uint8_t others[] = { TRAP, NOP };
	uint8_t bytes[USDT_JUMP_BYTES];
	uint32_t n = 0;

	trampolines[n++] = usdt_jump_target(on, site, start);
	if (beside <= start || beside >= start + USDT_JUMP_BYTES)
		return n;
	__builtin_memcpy(bytes, on + start, sizeof(bytes));
	for (uint32_t i = 0; i < ARRAY_SIZE(others); i++) {
		bytes[beside - start] = others[i];
		if (on[beside] != others[i])
			trampolines[n++] = usdt_jump_target(bytes, site + start,
							    0);
	}
	return n;
}

/* Gives back the places where jump i may lead, from number `from` on. */
static void trampolines_give(const struct making *m, uint32_t i, uint32_t from)
{
	uint64_t trampolines[TRAMPOLINES_MAX];
	uint32_t n = trampolines_of(m->bytes, m->site, m->starts[i], m->beside,
				    trampolines);

	while (n-- > from)
		usdt_near_give(trampolines[n], USDT_TRAMPOLINE_BYTES);
}

/* Finds a place where jump i can lead with the operand's bytes that are given,
 * and decides the other bytes. On failure the place of the first jump is kept,
 * if it has one. */
static int trampoline_find(struct making *m, uint32_t i)
{
	uint8_t *operand = m->bytes + m->starts[i] + 1;
	uint64_t from = m->site + m->starts[i];
	uint64_t others[TRAMPOLINES_MAX];
	uint32_t mask = 0;
	uint32_t want, k, n;

	for (k = 0; k < 4; k++)
		if (m->given[m->starts[i] + 1 + k])
			mask |= 0xffu << 8 * k;
	__builtin_memcpy(&want, operand, 4);
	m->trampolines[i] = usdt_near_trampoline(from, mask, want & mask,
						 USDT_TRAMPOLINE_BYTES);
	if (!m->trampolines[i])
		return -ERANGE;
	want = (uint32_t)(m->trampolines[i] - from - USDT_JUMP_BYTES);
	__builtin_memcpy(operand, &want, 4);
	__builtin_memset(m->given + m->starts[i] + 1, 1, 4);
	/* takes the other places where it may lead, all or none */
	n = trampolines_of(m->bytes, m->site, m->starts[i], m->beside, others);
	for (k = 1; k < n; k++)
		if (usdt_near_at(m->site, others[k], USDT_TRAMPOLINE_BYTES))
			break;
	if (k == n)
		return 0;
	while (k-- > 1)
		usdt_near_give(others[k], USDT_TRAMPOLINE_BYTES);
	if (i)
		usdt_near_give(m->trampolines[i], USDT_TRAMPOLINE_BYTES);
	return -ERANGE;
}

/*
 * Finds a place for each jump. The place of the first jump leaves the others
 * little choice, so several are tried for it; places that failed are kept until
 * the end, so the next try finds another one.
 */
static int trampolines_find(struct making *m)
{
	struct making first = *m;
	uint64_t failed[TRIES];
	uint32_t tries = 0;
	uint32_t i;
	int ret;

	do {
		*m = first;
		ret = 0;
		for (i = 0; i < m->count && !ret; i++)
			ret = trampoline_find(m, i);
		if (!ret || !m->trampolines[0])
			break;
		for (i--; i-- > 0;)
			trampolines_give(m, i, !i);
		failed[tries++] = m->trampolines[0];
	} while (tries < TRIES);
	while (tries--)
		usdt_near_give(failed[tries], USDT_TRAMPOLINE_BYTES);
	return ret;
}

static struct index given;	/* ways that are or were free, by site */

/* Returns how many bytes the covered code takes where it moves: the same at
 * each place within reach. */
static uint32_t moved_bytes(const struct usdt_plan *plan, uint64_t base)
{
	struct usdt_written written;
	uint8_t code[MOVED_MAX];
	int n = usdt_move(code, sizeof(code), base + plan->address, plan, base,
			  NULL, &written);

	return n > 0 ? (uint32_t)n : MOVED_MAX;
}

/* Returns how many bytes of a way's jumps are known. */
static uint32_t part_bytes(const struct way *way)
{
	return way->puns ? USDT_JUMP_BYTES : way->n;
}

/* Fills in the members that stay when the way is used again. */
static int way_make(struct way *way, const struct usdt_plan *plan,
		    uint64_t base)
{
	uint64_t site = base + plan->address;
	struct making m = { .site = site, .beside = plan->beside };
	uint8_t *gates = usdt_way_part(way, WAY_GATES);
	uint64_t moved;
	int ret;

	way->moved_bytes = (uint8_t)moved_bytes(plan, base);
	way->puns = plan->pun ? plan->starts & 0xfe : 0;
	/* a jump at the nop and at each join, a cc at every other start of an
	 * instruction; or a cc alone */
	__builtin_memcpy(m.bytes, plan->bytes, sizeof(m.bytes));
	for (uint32_t k = 0; k < plan->switched; k++) {
		int jumps = (plan->switched > 1 || plan->pun) &&
			    (k == plan->prefixes || plan->joins >> k & 1);

		if (jumps)
			m.starts[m.count++] = k;
		m.given[k] = jumps || k < plan->prefixes ||
			     plan->starts >> k & 1;
		if (m.given[k])
			m.bytes[k] = jumps ? JUMP :
				     k < plan->prefixes ? PREFIX : TRAP;
	}
	ret = plan->pun ? usdt_pun_take(m.bytes, site, way->n, way->puns) :
			  trampolines_find(&m);
	if (ret)
		return ret;
	ret = -ERANGE;
	moved = usdt_near_take(site, way->moved_bytes);
	if (!moved)
		goto give_trampolines;
	ret = -ENOMEM;
	way->stubs = usdt_stubs_take(plan->ngates);
	if (!way->stubs)
		goto give_moved;
	for (uint32_t k = 0; k < plan->ngates; k++)
		gates[k] = WAY_GATE(plan->gates[k].at, plan->gates[k].leaves);
	way->direct = usdt_is_direct(plan);
	way->covered = plan->covered;
	way->site = site;
	way->moved = (int32_t)(moved - site);
	way->starts = (uint16_t)(plan->starts & ((1u << way->n) - 1));
	way->joins = plan->joins;
	way->prefixes = plan->prefixes;
	way->beside = plan->beside;
	__builtin_memcpy(usdt_way_part(way, WAY_ON), m.bytes, part_bytes(way));
	/* last: the list keeps it */
	ret = way->puns ? usdt_puns_add(way) : 0;
	if (!ret)
		return 0;
	usdt_stubs_give(way->stubs);
give_moved:
	usdt_near_give(moved, way->moved_bytes);
give_trampolines:
	if (plan->pun)
		usdt_pun_give(m.bytes, site, way->puns);
	while (!plan->pun && m.count--)
		trampolines_give(&m, m.count, 0);
	return ret;
}

/* Writes the moved code and the trampolines, for the module at this base. The
 * first jump leads to the stub or to the gate, the others to moved code.
 * Returns 0 or a negative errno. */
static int way_fill(struct way *way, const struct usdt_plan *plan,
		    uint64_t base, const struct patcher *patcher)
{
	uint64_t trampolines[USDT_PUNS_MAX];
	struct usdt_written written = { 0 };
	uint64_t moved = usdt_way_moved(way);
	uint8_t *offsets = usdt_way_part(way, WAY_OFFSETS);
	uint8_t code[MOVED_MAX];
	int ret;
	int n = usdt_move(code, way->moved_bytes, moved, plan, base, way->stubs,
			  &written);

	if (n < 0)
		return n;
	__builtin_memcpy(offsets, written.offsets, way->n);
	__builtin_memcpy(usdt_way_part(way, WAY_BEHIND), written.behind,
			 way->ngates);
	way->wanted = 0;
	way->there = 0;
	way->faults = !!plan->faults;
	if (way->faults)
		__atomic_fetch_add(&usdt_faults.ways, 1, SEQ_CST(USDT_FAULTS));
	__builtin_memcpy(usdt_way_part(way, WAY_OFF), plan->bytes,
			 part_bytes(way));
	ret = usdt_write(patcher, moved, code, (uint32_t)n);
	for (uint32_t k = 0; !usdt_is_trap(way) && k < way->n && !ret; k++) {
		uint64_t to = moved + offsets[k];
		uint32_t left;

		if (k && !(way->joins >> k & 1))
			continue;
		if (!k)
			to = way->direct ? (uint64_t)way->stubs : moved;
		left = way->puns ?
			       usdt_pun_targets(usdt_way_part(way, WAY_ON),
						way->site, way->puns,
						trampolines) :
			       trampolines_of(usdt_way_part(way, WAY_ON),
					      way->site, k ? k : way->prefixes,
					      way->beside, trampolines);
		while (left-- && !ret)
			ret = usdt_trampoline_write(trampolines[left], to,
						    patcher);
	}
	return ret;
}

int usdt_gate_write(struct usdt_spot *spot, const struct way *way,
		    uint32_t others, const struct patcher *patcher)
{
	uint8_t gate = WAY_GATE(spot->address - way->site, spot->leaves);
	const uint8_t *gates = usdt_way_part(way, WAY_GATES);
	int i = 0, ret;

	while (i < way->ngates && (gates[i] != gate || others >> i & 1))
		i++;
	if (i == way->ngates)
		return -EADDRINUSE;
	ret = usdt_stub_write(usdt_stub_at(way->stubs, (uint32_t)i), spot,
			      usdt_way_moved(way) +
				      usdt_way_part(way, WAY_BEHIND)[i],
			      patcher);
	return ret ? ret : i;
}

int usdt_place_join(struct usdt_spot *spot, struct way *way,
		    const struct patcher *patcher)
{
	const struct usdt_spot *other;
	uint32_t others = 0;
	int gate;

	for (other = way->spots; other; other = other->next)
		others |= 1u << other->gate;
	gate = usdt_gate_write(spot, way, others, patcher);
	if (gate < 0)
		return gate;
	spot->way = way;
	spot->gate = (uint8_t)gate;
	spot->next = way->spots;
	way->spots = spot;
	return 0;
}

int usdt_place_beside(struct usdt_spot *spot, const struct patcher *patcher)
{
	struct way *way = usdt_ways;

	while (way && (way->free || !way->beside ||
		       (spot->address != way->site &&
			spot->address != way->site + way->beside)))
		way = way->next;
	return way ? usdt_place_join(spot, way, patcher) : -EADDRINUSE;
}

struct sought {
	uint64_t site;
	const struct usdt_plan *plan;
};

/* Tells whether a way has the gates of a plan. */
static bool same_gates(const struct way *way, const struct usdt_plan *plan)
{
	const uint8_t *gates = usdt_way_part(way, WAY_GATES);
	uint32_t i = 0;

	if (way->ngates != plan->ngates)
		return false;
	while (i < plan->ngates && gates[i] == WAY_GATE(plan->gates[i].at,
							plan->gates[i].leaves))
		i++;
	return i == plan->ngates;
}

/* Returns true for the free way of the same place in a module that was
 * unloaded, and is loaded again at the same address. */
static bool way_fits(uint64_t value, const void *arg)
{
	const struct way *way = (const struct way *)value;
	const struct sought *sought = arg;
	const struct usdt_plan *plan = sought->plan;

	return way->free && !way->replaced && way->site == sought->site &&
	       (way->starts | way->puns) == plan->starts &&
	       !way->puns == !plan->pun && way->beside == plan->beside &&
	       way->joins == plan->joins && way->prefixes == plan->prefixes &&
	       way->n == plan->switched && way->covered == plan->covered &&
	       same_gates(way, plan) &&
	       ((way->direct && !way->joins && !way->puns) ||
		!__builtin_memcmp(usdt_way_part(way, WAY_OFF), plan->bytes,
				  part_bytes(way)));
}

int usdt_jump_make(struct usdt_plan *plan, uint64_t base, bool lent,
		   const struct patcher *patcher)
{
	uint64_t site = base + plan->address;
	const struct sought sought = { site, plan };
	const struct r_debug *debug;
	struct way *way;
	int ret;

	if (__builtin_memcmp((const void *)site, plan->bytes, plan->covered) &&
	    !(lent && usdt_ways_code(site, plan->bytes, plan->covered))) {
		/* where the dynamic linker tells the agent of modules */
		debug = modules_debug();
		return debug && debug->r_brk == site ? -EADDRINUSE : -EBUSY;
	}
	if (usdt_puns_on(site, site + plan->covered, lent))
		return -EBUSY;
	way = (struct way *)index_find(&given, address_hash(site), way_fits,
				       &sought);
	if (!way) {
		way = usdt_way_new(plan->switched, plan->ngates);
		if (!way)
			return -ENOMEM;
		way->free = 1;
		ret = way_make(way, plan, base);
		if (ret) {
			usdt_way_drop(way);
			return ret;
		}
		usdt_way_add(way);
	}
	ret = way_fill(way, plan, base, patcher);
	if (ret)
		usdt_jump_gone(way);
	else
		plan->way = way;
	return ret;
}

int usdt_place_jump(struct usdt_spot *spot, struct usdt_plan *plan,
		    uint64_t base, const struct patcher *patcher)
{
	struct way *way = plan->way;
	int ret;

	/* one way has replaced it */
	if (way && way->free)
		return -EADDRINUSE;
	if (way)
		return usdt_place_join(spot, way, patcher);
	ret = usdt_jump_make(plan, base, false, patcher);
	if (ret)
		return ret;
	way = plan->way;
	ret = usdt_place_join(spot, way, patcher);
	if (ret) {
		usdt_jump_gone(way);
		plan->way = NULL;
		return ret;
	}
	/* USDT-WAY: last */
	store_release(&way->free, 0, USDT_WAY);
	return 0;
}

void usdt_jump_gone(struct way *way)
{
	/* without memory it is not used again */
	if (!way->given)
		way->given = !index_add(&given, address_hash(way->site),
					(uint64_t)way);
}
