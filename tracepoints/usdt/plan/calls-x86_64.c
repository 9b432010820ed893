/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plans the jumps of functions; see calls.h. A portion of functions is planned
 * at a time: of each the sites at the entry, and the places where a jump that
 * takes in an exit may begin.
 */
#include "tracepoints/usdt/plan/calls.h"
#include "tracepoints/usdt/plan/sort.h"

#include <errno.h>

#include "base/base.h"
#include "base/index.h"
#include "base/sys.h"

#define PLANS_MAX	8192u	/* planned together */
#define PLANS_BYTES	(PLANS_MAX * sizeof(struct usdt_plan))
#define FOUND_MAX	2048u	/* exits */
#define FOUND_BYTES	(FOUND_MAX * sizeof(struct usdt_exit))
#define PUSHES_MAX	6u

int usdt_calls_open(struct usdt_calls *calls, const struct usdt_file *file,
		    const struct usdt_decoder *decoder, uint64_t base)
{
	*calls = (struct usdt_calls){ .file = file, .decoder = decoder };
	if (usdt_image_open(&calls->image, file) || !calls->image.count)
		return -ENOEXEC;
	calls->low = usdt_is_low(base + calls->image.loads[0].p_vaddr);
	calls->plans = sys_map_anonymous(PLANS_BYTES);
	calls->found = sys_map_anonymous(FOUND_BYTES);
	if (calls->plans && calls->found)
		return 0;
	usdt_calls_close(calls);
	return -ENOMEM;
}

void usdt_calls_close(struct usdt_calls *calls)
{
	usdt_layout_close(&calls->layout);
	if (calls->plans)
		sys_munmap(calls->plans, PLANS_BYTES);
	if (calls->found)
		sys_munmap(calls->found, FOUND_BYTES);
}

uint32_t usdt_calls_push(const struct usdt_calls *calls, uint64_t address)
{
	const uint8_t *p = usdt_image_at(&calls->image, address, 2, PF_X, NULL);
	uint32_t rex = p && *p == 0x41;

	return p && (p[rex] & 0xf8) == 0x50 ? rex + 1 : 0;
}

/* Returns the plan of a site, among those of the portion. */
static struct usdt_plan *plan_of(const struct usdt_calls *calls,
				 uint64_t address)
{
	uint32_t at = usdt_plans_before(calls->plans, calls->nplans, address);

	return &calls->plans[at];
}

/* Returns why a plan cannot be used, or 0. */
static int plan_refused(const struct usdt_calls *calls,
			const struct usdt_plan *plan)
{
	if (plan->reason)
		return plan->reason;
	if (!usdt_plan_leads(plan))
		return -ERANGE;
	return calls->refused ? calls->refused(plan, calls->arg) : 0;
}

struct usdt_plan *usdt_calls_entry(const struct usdt_calls *calls,
				   const struct usdt_wanted *wanted, int *why)
{
	struct usdt_plan *plan = plan_of(calls, usdt_wanted_at(wanted));

	if (why)
		*why = plan_refused(calls, plan);
	return plan;
}

struct usdt_plan *usdt_calls_exit(const struct usdt_calls *calls,
				  const struct usdt_exit *exit)
{
	uint64_t first = exit->address - USDT_COVERED_MAX;
	struct usdt_plan *plan = plan_of(calls, first);
	struct usdt_plan *end = calls->plans + calls->nplans;

	for (; plan < end && plan->address <= exit->address; plan++)
		if (usdt_plan_gate_find(plan, exit->address - plan->address,
					true) >= 0)
			return plan;
	return NULL;
}

/* Lets a jump have the hits of the exits among the instructions that it moves,
 * too. */
static void exits_merge(const struct usdt_calls *calls,
			const struct usdt_wanted *wanted,
			struct usdt_plan *plan)
{
	const struct usdt_exit *exits = calls->found + wanted->first;

	for (int i = 0; i < wanted->nexits; i++)
		if (!usdt_calls_exit(calls, &exits[i]))
			usdt_plan_gate(plan, exits[i].address - plan->address,
				       true);
}

int usdt_bytes_take(struct index *taken, uint64_t address, uint32_t n)
{
	int ret = 0;

	while (n-- && !ret)
		ret = address_add(taken, address + n);
	return ret;
}

bool usdt_bytes_taken(const struct index *taken, uint64_t address, uint32_t n)
{
	uint32_t i = 0;

	while (i < n && !address_has(taken, address + i))
		i++;
	return i < n;
}

/* Takes the bytes of a plan. Returns 0 or USDT_NO_MEMORY. */
static int plan_take(struct index *taken, const struct usdt_plan *plan)
{
	return usdt_bytes_take(taken, plan->address, plan->covered) ?
		       USDT_NO_MEMORY : 0;
}

/* Chooses where the jump of an exit begins: where it takes the least memory,
 * then nearest, and beside the jumps that are chosen already. The hit is at the
 * exit itself, where the value is known. Returns 0, or why it cannot be had. */
static int exit_choose(const struct usdt_calls *calls,
		       const struct usdt_wanted *wanted,
		       const struct usdt_exit *exit, struct index *taken)
{
	struct usdt_plan *best = NULL;
	int why = 0;

	for (uint32_t i = 0; i < exit->count; i++) {
		struct usdt_plan *plan = plan_of(calls, exit->starts[i]);
		uint64_t at = exit->address - plan->address;
		int refused = plan_refused(calls, plan);

		if (!refused && !usdt_plan_moves(plan, at))
			continue;
		if (!refused && usdt_bytes_taken(taken, plan->address,
						 plan->covered))
			refused = USDT_OVERLAPS;
		if (!why)
			why = refused;
		if (!refused && (!best || usdt_plan_cost(plan) <
						  usdt_plan_cost(best)))
			best = plan;
	}
	if (!best)
		return why ? why : USDT_ENDS;
	exits_merge(calls, wanted, best);
	return plan_take(taken, best);
}

uint32_t usdt_plan_earlier(const struct usdt_image *image,
			   const struct usdt_decoder *decoder, bool low,
			   uint64_t address,
			   struct usdt_plan plans[static USDT_EARLIER_MAX])
{
	uint64_t starts[USDT_EARLIER_MAX], at, left;
	struct usdt_function function;
	struct usdt_decoded insn;
	uint32_t n = 0, count = 0, i;
	const uint8_t *bytes;

	if (!decoder || !usdt_image_function(image, address, &function))
		return 0;
	for (at = function.start; at < address; at += insn.length) {
		bytes = usdt_image_at(image, at, 1, PF_X, &left);
		if (!bytes || !usdt_decode(decoder, bytes, left, at, &insn))
			return 0;
		starts[n++ % USDT_EARLIER_MAX] = at;
	}
	for (i = n > USDT_EARLIER_MAX ? n - USDT_EARLIER_MAX : 0; i < n; i++) {
		at = starts[i % USDT_EARLIER_MAX];
		if (address - at < USDT_PATCH_MAX)
			plans[count++] = (struct usdt_plan){
				.address = at, .whole = 1, .low = low,
				.needs = (uint8_t)(address - at),
			};
	}
	usdt_plan(image->file, decoder, plans, count);
	return count;
}

int usdt_pun_plan(const struct usdt_image *image,
		  const struct usdt_decoder *decoder, bool low,
		  uint64_t address, struct usdt_plan *plan)
{
	*plan = (struct usdt_plan){ .address = address, .whole = 1, .pun = 1,
				    .low = low };
	usdt_plan(image->file, decoder, plan, 1);
	return plan->reason	       ? plan->reason :
	       !usdt_plan_leads(plan) ? USDT_REACH :
					usdt_plan_gate(plan, 0, false);
}

int usdt_calls_pun(const struct usdt_calls *calls,
		   const struct usdt_wanted *wanted, struct usdt_plan *plan)
{
	const struct usdt_exit *exits = calls->found + wanted->first;
	uint64_t end = wanted->site + USDT_JUMP_BYTES;
	struct usdt_function last;
	const struct usdt_plan *own = plan_of(calls, wanted->site), *exit;
	int why = USDT_FAULTS;

	/* facts that are known save a plan */
	if (own->moved[0].length >= USDT_JUMP_BYTES)
		return USDT_LED_TO;
	if (!own->moved[0].faults || plan_refused(calls, own) != why)
		why = usdt_pun_plan(&calls->image, calls->decoder, calls->low,
				    wanted->site, plan);
	if (why)
		return why;
	if (usdt_image_function(&calls->image, end - 1, &last) &&
	    last.start != plan->start)
		return USDT_ENDS;
	for (int i = 0; i < wanted->nexits; i++) {
		exit = usdt_calls_exit(calls, &exits[i]);
		/* it may have a trap */
		if (exits[i].address - wanted->site < USDT_JUMP_BYTES ||
		    (exit && exit->address < end &&
		     wanted->site < exit->address + exit->covered))
			return USDT_OVERLAPS;
	}
	return calls->refused ? calls->refused(plan, calls->arg) : 0;
}

int usdt_trap_plan(const struct usdt_image *image,
		   const struct usdt_decoder *decoder, uint64_t address,
		   bool leaves, struct usdt_plan *plan)
{
	struct usdt_function function;
	struct usdt_decoded insn;
	uint64_t left, at;
	const uint8_t *bytes;

	if (!decoder)
		return USDT_NO_DECODER;
	if (!usdt_image_function(image, address, &function))
		return USDT_UNDECODED;
	/* whoever names the address may mean the middle of an instruction */
	for (at = function.start; at < address; at += insn.length) {
		bytes = usdt_image_at(image, at, 1, PF_R | PF_X, &left);
		if (!bytes || (!usdt_decode_plain(bytes, left, at, &insn) &&
			       !usdt_decode(decoder, bytes, left, at, &insn)))
			return USDT_UNDECODED;
	}
	bytes = usdt_image_at(image, address, 1, PF_R | PF_X, &left);
	if (at != address || !bytes ||
	    !usdt_decode(decoder, bytes, left, address, &insn))
		return USDT_UNDECODED;
	if (function.signal)
		return USDT_SIGNAL_FRAME;
	if (insn.move == USDT_STAYS)
		return USDT_FIXED;
	/* it may be a probe's */
	if (insn.padding)
		return USDT_OVERLAPS;
	*plan = (struct usdt_plan){
		.address = address, .whole = 1, .covered = insn.length,
		.switched = 1, .count = 1, .starts = 1,
		.start = function.start, .end = function.end,
		.faults = insn.faults != USDT_SAFE,
		.moved[0] = { .target = insn.target, .length = insn.length,
			      .move = insn.move, .field = insn.field,
			      .code = insn.code },
	};
	__builtin_memcpy(plan->bytes, bytes, insn.length);
	return usdt_plan_gate(plan, 0, leaves);
}

int usdt_calls_trap(const struct usdt_calls *calls, uint64_t address,
		    bool leaves, struct usdt_plan *plan)
{
	int why = usdt_trap_plan(&calls->image, calls->decoder, address, leaves,
				 plan);

	return !why && calls->refused ? calls->refused(plan, calls->arg) : why;
}

/* Has each hit of an exit by a trap. Returns 0 or USDT_NO_MEMORY; or `why` it
 * had no jump, and can have no trap. */
static int exit_trap(const struct usdt_calls *calls, struct usdt_exit *exit,
		     int why, struct index *taken)
{
	struct usdt_plan plan;

	if (why == USDT_NO_MEMORY ||
	    usdt_calls_trap(calls, exit->address, true, &plan) ||
	    usdt_bytes_taken(taken, plan.address, plan.covered))
		return why;
	exit->trap = (int8_t)why;
	return plan_take(taken, &plan);
}

/* Forgets the jumps that were chosen for exits; the entry's has a gate. */
static void gates_forget(const struct usdt_calls *calls,
			 const struct usdt_wanted *wanted)
{
	const struct usdt_exit *exits = calls->found + wanted->first;
	struct usdt_plan *entry = usdt_calls_entry(calls, wanted, NULL);
	struct usdt_plan *plan;

	for (int i = 0; i < wanted->nexits; i++)
		while ((plan = usdt_calls_exit(calls, &exits[i])))
			plan->ngates = 0;
	if (!entry->reason)
		usdt_plan_gate(entry, 0, false);
}

/* Chooses jumps of all exits: with the entry's jump, or without any at the
 * entry. Results as usdt_calls_exits(). */
static int exits_choose(struct usdt_calls *calls,
			const struct usdt_wanted *wanted, bool with,
			uint64_t *at)
{
	struct usdt_exit *exits = calls->found + wanted->first;
	int refused;
	struct usdt_plan *entry = usdt_calls_entry(calls, wanted, &refused);
	int why = wanted->nexits == -ENOENT ? USDT_NO_FUNCTION :
		  wanted->nexits < 0	    ? USDT_UNDECODED : 0;
	struct index taken = { 0 };

	if (with && !refused)
		exits_merge(calls, wanted, entry);
	*at = wanted->address;
	/* the bytes there are not for exits */
	if (!why && with && !entry->reason)
		why = plan_take(&taken, entry);
	/* the last exits have the fewest places: the next function follows */
	for (int i = wanted->nexits; i-- > 0 && !why;) {
		exits[i].trap = 0;
		if (usdt_calls_exit(calls, &exits[i]) ||
		    (calls->made &&
		     calls->made(exits[i].address, calls->arg)))
			continue;
		why = exit_choose(calls, wanted, &exits[i], &taken);
		if (why && why != USDT_NO_MEMORY && calls->shared &&
		    calls->shared(exits[i].address, calls->arg))
			why = 0;
		if (why && wanted->traps)
			why = exit_trap(calls, &exits[i], why, &taken);
		*at = exits[i].address;
	}
	index_clear(&taken);
	return why;
}

int usdt_calls_exits(struct usdt_calls *calls, const struct usdt_wanted *wanted,
		     uint64_t *at)
{
	int why = exits_choose(calls, wanted, true, at);

	if (!why)
		return 0;
	gates_forget(calls, wanted);
	/* exits alone may be possible where both are not */
	if (!wanted->entry && wanted->exits)
		why = exits_choose(calls, wanted, false, at);
	if (why)
		gates_forget(calls, wanted);
	return why;
}

/* Adds a site to the portion. */
static void plan_add(struct usdt_calls *calls, uint64_t address, uint64_t needs)
{
	calls->plans[calls->nplans++] = (struct usdt_plan){
		.address = address, .whole = 1, .needs = (uint8_t)needs,
		.low = calls->low,
	};
}

/* Orders by address; of one address the entry comes first. */
static bool plan_before(const void *one, const void *other)
{
	const struct usdt_plan *a = one, *b = other;

	return a->address < b->address ||
	       (a->address == b->address && a->needs < b->needs);
}

/* Sorts the sites of the portion, and drops those that are there twice. */
static void plans_sort(struct usdt_calls *calls)
{
	struct usdt_plan *plans = calls->plans;
	struct usdt_plan room;
	uint32_t kept = 0;

	sort_things(plans, calls->nplans, sizeof(room), &room, plan_before);
	for (uint32_t i = 0; i < calls->nplans; i++)
		if (!kept || plans[kept - 1].address != plans[i].address)
			plans[kept++] = plans[i];
	calls->nplans = kept;
}

/* Adds the sites of an entry: also those behind pushes. */
static void entry_add(struct usdt_calls *calls,
		      const struct usdt_wanted *wanted)
{
	uint64_t at = wanted->site;
	uint32_t bytes;

	plan_add(calls, at, 0);
	for (uint32_t i = 0; i < PUSHES_MAX; i++) {
		bytes = usdt_calls_push(calls, at);
		if (!bytes)
			return;
		at += bytes;
		plan_add(calls, at, 0);
	}
}

/* Adds the sites of a function. Returns false when the portion has no room. */
static bool function_add(struct usdt_calls *calls, struct usdt_wanted *wanted)
{
	if (calls->nplans + 1 + PUSHES_MAX +
			    USDT_EXITS_MAX * USDT_STARTS_MAX > PLANS_MAX ||
	    calls->nfound + USDT_EXITS_MAX > FOUND_MAX)
		return false;
	entry_add(calls, wanted);
	wanted->nexits = -EILSEQ;
	if (!calls->decoder)
		return true;
	wanted->first = calls->nfound;
	wanted->nexits = usdt_exits_find(&calls->image, calls->decoder,
					 &calls->layout, wanted->address,
					 calls->found + calls->nfound,
					 USDT_EXITS_MAX);
	for (int i = 0; i < wanted->nexits; i++) {
		const struct usdt_exit *exit = &calls->found[wanted->first + i];

		for (int k = 0; k < exit->count; k++)
			plan_add(calls, exit->starts[k],
				 exit->address - exit->starts[k]);
	}
	if (wanted->nexits > 0)
		calls->nfound += (uint32_t)wanted->nexits;
	return true;
}

/* Returns the memory that the jump of a plan costs, or ~0 if there is none. */
static uint32_t plan_cost(const struct usdt_plan *plan)
{
	return plan->reason || !usdt_plan_leads(plan) ? ~0u :
							usdt_plan_cost(plan);
}

/* Lets the jump of an entry begin behind pushes, if it cannot before them or
 * takes less memory there, and nothing leads there. They change no argument. */
static void entry_choose(const struct usdt_calls *calls,
			 struct usdt_wanted *wanted)
{
	const struct usdt_plan *plan = plan_of(calls, wanted->site);
	uint32_t bytes, skipped = 0, pushes = 0, cost;
	uint32_t least = plan_cost(plan);

	if (plan->reason && !plan->prefixes)
		return;
	while (pushes < PUSHES_MAX && least) {
		bytes = usdt_calls_push(calls, wanted->site + skipped);
		skipped += bytes;
		if (!bytes || skipped >= USDT_PATCH_MAX ||
		    plan->led >> skipped & 1)
			return;
		pushes++;
		cost = plan_cost(plan_of(calls, wanted->site + skipped));
		if (cost >= least)
			continue;
		least = cost;
		wanted->skipped = (uint8_t)skipped;
		wanted->pushes = (uint8_t)pushes;
	}
}

uint32_t usdt_calls_plan(struct usdt_calls *calls, struct usdt_wanted *wanted,
			 uint32_t n)
{
	struct usdt_plan *plan;
	uint32_t end = 0;

	/* most files have none that is wanted */
	if (!calls->layout.bytes)
		usdt_layout_open(&calls->layout, &calls->image);
	calls->nplans = calls->nfound = 0;
	while (end < n && function_add(calls, &wanted[end]))
		end++;
	plans_sort(calls);
	usdt_plan(calls->file, calls->decoder, calls->plans, calls->nplans);
	for (uint32_t i = 0; i < end; i++) {
		entry_choose(calls, &wanted[i]);
		plan = plan_of(calls, usdt_wanted_at(&wanted[i]));
		if (!plan->reason)
			usdt_plan_gate(plan, 0, false);
	}
	return end;
}
