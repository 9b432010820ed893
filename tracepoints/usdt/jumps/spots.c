/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places spots before any instructions of a module; see jumps.h.
 *
 * In the order of addresses, each spot gets a gate of an earlier spot's jump
 * that moves the instruction there, or another jump, which begins at the spot
 * or, where that is not possible, at an instruction before it. Else it gets a
 * gate of a jump that was placed before, made anew (share.c).
 *
 * Invariant: no byte belongs to two jumps that have spots.
 */
#include "tracepoints/usdt/jumps/jumps.h"

#include <errno.h>

#include "base/base.h"
#include "base/index.h"
#include "base/sys.h"
#include "tracepoints/usdt/plan/calls.h"
#include "tracepoints/usdt/plan/debug.h"

struct placing {
	const struct usdt_file *file;
	struct usdt_image image;
	struct usdt_sharing sharing;
	struct index taken;		/* bytes that jumps cover */
	struct usdt_plan *plans;	/* of the portion, sorted */
	struct usdt_plan *earlier;	/* that begin before a spot */
	struct usdt_plan **jumps;	/* of the portion's spots */
};

int usdt_ways_take(struct index *taken, uint64_t start, uint64_t end)
{
	const struct way *way;
	int ret = 0;

	for (way = usdt_ways; way && !ret; way = way->next)
		if (way->site >= start && way->site < end &&
		    usdt_way_lives(way))
			ret = usdt_bytes_take(taken, way->site,
					      usdt_way_covers(way));
	return ret;
}

/* Returns the key of a gate by its place. */
static uint64_t place_key(uint64_t address, bool leaves)
{
	return address | (uint64_t)leaves << 63;
}

/* Returns the key of a way's gate. */
static uint64_t gate_key(const struct way *way, uint32_t i)
{
	uint8_t gate = usdt_way_part(way, WAY_GATES)[i];

	return place_key(way->site + (gate >> 1), gate & 1);
}

/* As index_find() asks: tells whether a way has a gate with this key. */
static bool has_gate(uint64_t value, const void *key)
{
	const struct way *way = (const struct way *)value;
	uint32_t i = way->free ? way->ngates : 0;

	while (i < way->ngates && gate_key(way, i) != *(const uint64_t *)key)
		i++;
	return i < way->ngates;
}

int usdt_gates_find(struct index *gates, uint64_t start, uint64_t end)
{
	const struct usdt_spot *spot;
	struct way *way;
	uint64_t key;
	int ret = 0;

	for (way = usdt_ways; way && !ret; way = way->next) {
		/* the gate of a probe beside another one is for that probe */
		if (way->site < start || way->site >= end || way->beside ||
		    !usdt_way_lives(way))
			continue;
		for (uint32_t i = 0; i < way->ngates && !ret; i++) {
			key = gate_key(way, i);
			for (spot = way->spots; spot && spot->gate != i;)
				spot = spot->next;
			if (!spot)
				ret = index_add(gates, address_hash(key),
						(uint64_t)way);
		}
	}
	return ret;
}

struct way *usdt_gates_way(const struct index *gates, uint64_t address,
			   bool leaves)
{
	uint64_t key = place_key(address, leaves);

	return (struct way *)index_find(gates, address_hash(key), has_gate,
					&key);
}

/* Returns why a plan cannot be used, or 0. */
static int plan_refused(const struct placing *p, const struct usdt_plan *plan)
{
	if (plan->reason)
		return plan->reason;
	if (!usdt_plan_leads(plan))
		return -ERANGE;
	if (plan->faults && usdt_faults_handled())
		return USDT_FAULTS;
	return usdt_bytes_taken(&p->taken, p->sharing.base + plan->address,
				plan->covered) ||
	       (p->sharing.sites &&
		usdt_bytes_taken(p->sharing.sites,
				 p->sharing.base + plan->address,
				 plan->covered)) ?
		       USDT_OVERLAPS : 0;
}

/* Takes a jump for a spot, and the bytes. Returns 0 or why it cannot. */
static int jump_take(struct placing *p, struct usdt_plan *plan, uint64_t at)
{
	int why = plan_refused(p, plan);

	if (!why)
		why = usdt_plan_gate(plan, at - plan->address, false);
	if (!why)
		why = usdt_bytes_take(&p->taken,
				      p->sharing.base + plan->address,
				      plan->covered);
	return why;
}

/* Finds a jump that begins before a spot. Its plan replaces that of the spot.
 * Returns 0 or -1. */
static int earlier_find(struct placing *p, struct usdt_plan *plan)
{
	uint64_t at = plan->address;
	uint32_t n = usdt_plan_earlier(&p->image, p->sharing.decoder,
				       p->sharing.low, at, p->earlier);

	while (n-- > 0) {
		if (jump_take(p, &p->earlier[n], at))
			continue;
		*plan = p->earlier[n];
		return 0;
	}
	return -1;
}

/* Chooses the jump of each spot of a portion: p->jumps gets the plan. */
static void jumps_choose(struct placing *p, struct usdt_request *requests,
			 uint32_t n)
{
	struct usdt_plan *jump = NULL;
	uint64_t at, last = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct usdt_request *request = &requests[i];

		p->jumps[i] = &p->plans[i];
		at = p->plans[i].address;
		request->why = at == last ? USDT_OVERLAPS : 0;
		last = at;
		if (request->why)
			continue;
		if (jump && !usdt_plan_gate(jump, at - jump->address, false)) {
			p->jumps[i] = jump;
			continue;
		}
		request->why = jump_take(p, &p->plans[i], at);
		if (request->why && !earlier_find(p, &p->plans[i]))
			request->why = 0;
		if (!request->why)
			jump = &p->plans[i];
	}
}

/* Places a spot by a jump; without one, by that of a neighbour, made anew.
 * Returns as struct usdt_request says. */
static int spot_place(struct placing *p, struct usdt_spot *spot,
		      struct usdt_plan *jump, int why)
{
	int ret = why ? -EADDRINUSE :
			usdt_place_jump(spot, jump, p->sharing.base,
					p->sharing.patcher);

	if (ret == -EADDRINUSE && why >= 0 && why != USDT_NO_MEMORY) {
		ret = usdt_share_make(&p->sharing, spot);
		if (ret == -EADDRINUSE)
			return why ? why : USDT_OVERLAPS;
	} else if (why) {
		return why;
	}
	if (!ret)
		ret = usdt_bytes_take(&p->taken, spot->way->site,
				      spot->way->covered);
	return ret ? ret : usdt_share_add(&p->sharing, spot->way);
}

/* Makes the way of a plan that is for one spot, and keeps the bytes. */
static int plan_place(struct placing *p, struct usdt_spot *spot,
		      struct usdt_plan *plan)
{
	int ret = usdt_place_jump(spot, plan, p->sharing.base,
				  p->sharing.patcher);

	if (!ret)
		ret = usdt_bytes_take(&p->taken, spot->address, plan->covered);
	return ret ? ret : usdt_share_add(&p->sharing, spot->way);
}

/* Tells whether a place that has no jump may have another way. */
static bool is_refused(int why)
{
	return (why > 0 && why != USDT_NO_MEMORY) || why == -ERANGE;
}

/* Places a spot that has no other jump by one with bytes of the program. */
static void pun_place(struct placing *p, struct usdt_request *request)
{
	struct usdt_plan plan;
	int why;

	if (!is_refused(request->why) ||
	    usdt_pun_plan(p->sharing.image, p->sharing.decoder, p->sharing.low,
			  request->target.offset, &plan) ||
	    plan_refused(p, &plan))
		return;
	why = plan_place(p, request->spot, &plan);
	/* there is no such place: the reason stays */
	if (why != -ERANGE)
		request->why = why == -ENOSPC ? USDT_PAGES : why;
	request->punned = !why;
}

/* Has each hit of a spot by a trap, if the request allows it. Sets what is
 * told of a spot that has no jump. */
static void trap_place(struct placing *p, struct usdt_request *request)
{
	int why = request->why;
	struct usdt_plan plan;

	request->told = why;
	if (!is_refused(why) ||
	    usdt_trap_plan(p->sharing.image, p->sharing.decoder,
			   request->target.offset, false, &plan) ||
	    plan_refused(p, &plan))
		return;
	request->told = (why < 0 ? USDT_REACH : why) | USDT_TRAPS;
	if (request->traps)
		request->why = plan_place(p, request->spot, &plan);
}

/* Plans and places the spots of a portion. Returns how many it placed. */
static uint32_t portion_place(struct placing *p, struct usdt_request *requests,
			      uint32_t n)
{
	uint32_t placed = 0;

	for (uint32_t i = 0; i < n; i++)
		p->plans[i] = (struct usdt_plan){
			.address = requests[i].target.offset,
			.whole = 1, .low = p->sharing.low,
		};
	usdt_plan(p->file, p->sharing.decoder, p->plans, n);
	jumps_choose(p, requests, n);
	for (uint32_t i = 0; i < n; i++) {
		requests[i].why = spot_place(p, requests[i].spot, p->jumps[i],
					     requests[i].why);
		pun_place(p, &requests[i]);
		trap_place(p, &requests[i]);
		placed += !requests[i].why;
	}
	return placed;
}

bool usdt_target_in(const struct usdt_target *target,
		    const struct usdt_file *file)
{
	uint32_t bytes = 0;
	const uint8_t *id = target->build_id ? usdt_build_id(file, &bytes) :
					       NULL;

	return !target->build_id ||
	       (id && bytes == target->bytes &&
		!__builtin_memcmp(id, target->build_id, bytes));
}

int usdt_spots_place(const struct usdt_file *file, uint64_t base,
		     struct usdt_request *requests, uint32_t n,
		     const struct index *sites, const struct patcher *patcher)
{
	struct placing p = {
		.file = file,
		.sharing = { .base = base, .patcher = patcher, .sites = sites,
			     .image = &p.image,
			     .decoder = usdt_place_decoder() },
	};
	uint64_t bytes = USDT_TOGETHER * sizeof(*p.jumps) +
			 (USDT_TOGETHER + USDT_EARLIER_MAX) *
				 sizeof(struct usdt_plan);
	uint32_t placed = 0, i, k;
	int ret = -ENOEXEC;

	if (usdt_image_open(&p.image, file) || !p.image.count)
		return ret;
	for (i = 0; i < n; i++) {
		if (!usdt_target_in(&requests[i].target, file))
			return -ESTALE;
		requests[i].spot->address = base + requests[i].target.offset;
	}
	p.sharing.low = usdt_is_low(base + p.image.loads[0].p_vaddr);
	ret = -ENOMEM;
	p.plans = sys_map_anonymous(bytes);
	if (!p.plans)
		return ret;
	p.earlier = p.plans + USDT_TOGETHER;
	p.jumps = (struct usdt_plan **)(p.earlier + USDT_EARLIER_MAX);
	if (usdt_ways_take(&p.taken, 0, ~0ull) ||
	    usdt_share_open(&p.sharing, 0, ~0ull))
		goto unmap;
	for (i = 0; i < n; i = k) {
		/* spots that may share a jump are in one portion */
		for (k = i + 1; k < n && k - i < USDT_TOGETHER; k++)
			if (k - i > USDT_TOGETHER / 2 &&
			    requests[k].target.offset -
					    requests[k - 1].target.offset >
				    USDT_COVERED_MAX)
				break;
		placed += portion_place(&p, requests + i, k - i);
	}
	usdt_place_done(patcher);
	ret = (int)placed;
unmap:
	index_clear(&p.sharing.ways);
	index_clear(&p.taken);
	sys_munmap(p.plans, bytes);
	return ret;
}

int usdt_spot_give(const struct patcher *patcher, struct usdt_spot *spot)
{
	int ret = usdt_place_switch(patcher, spot, 0);

	spot->given = 1;
	return ret;
}

int usdt_spot_regain(struct usdt_spot *spot)
{
	const struct way *own = spot->way, *way;
	uint64_t end = own->site + usdt_way_covers(own);

	if (own->free || (own->faults && usdt_faults_handled()))
		return USDT_OVERLAPS;
	for (way = usdt_ways; way; way = way->next)
		if (way != own && way->site < end &&
		    (usdt_way_lives(way) || usdt_pun_is_on(way)) &&
		    own->site < way->site + usdt_way_covers(way))
			return USDT_OVERLAPS;
	spot->given = 0;
	return 0;
}

bool usdt_spot_stuck(const struct usdt_spot *spot)
{
	const struct way *way = spot->way;

	return way && way->pending &&
	       __builtin_memcmp((const void *)way->site,
				usdt_way_part(way, WAY_OFF), way->n);
}

void usdt_spot_forget(struct usdt_spot *spot)
{
	/* the way may be made again: its places are there for no other */
	usdt_place_gone(spot);
	*spot = (struct usdt_spot){ .address = spot->address };
}
