/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plans jumps; see plan.h.
 *
 * Invariant: a plan has a reason, or `covered` says how far instructions may be
 * moved, and `limit` why no further. The file is not trusted: only
 * usdt_image_at() reads an address that comes from it.
 */
#include "tracepoints/usdt/plan/plan.h"

#include <errno.h>
#include <stddef.h>

#include "base/base.h"
#include "base/sys.h"
#include "tracepoints/usdt/plan/image.h"
#include "tracepoints/usdt/plan/scan-private.h"

#define NOP		0x90
#define TEST		0xa9	/* the byte after the nop of our own markers */
#define SMALL_BYTES	(512u << 10)	/* of code, all of which is read */

struct planning {
	struct usdt_image image;
	const struct usdt_decoder *decoder;
	struct usdt_scan scan;
	int through;		/* a function jumps through addresses */
	uint64_t parts;		/* where parts of functions are put apart */
	uint64_t parts_end;
};

#define ALIGNED		16u	/* functions begin there, after padding */
#define PADDING_MAX	64u	/* bytes before the next function */

/*
 * For a function that ends too early: covers the padding after it, if the last
 * instruction does not go on to the padding. Padding ends at the next function.
 * Where nothing describes that, it may be data that looks so, or a function
 * that begins with a nop: then the padding ends at the boundary that both would
 * begin at, or there is none.
 */
static void padding_cover(const struct planning *p, struct usdt_plan *plan,
			  uint64_t behind, int ends)
{
	uint64_t boundary = align_up(behind, ALIGNED);
	uint64_t end = plan->address + USDT_PATCH_MAX;
	uint64_t at = behind;
	struct usdt_function next;
	struct usdt_decoded insn;
	const uint8_t *bytes;
	uint64_t left;

	while (ends && at - behind < PADDING_MAX &&
	       !usdt_image_function(&p->image, at, &next)) {
		bytes = usdt_image_at(&p->image, at, 1, PF_R | PF_X, &left);
		if (!bytes ||
		    !usdt_decode(p->decoder, bytes, left, at, &insn) ||
		    !insn.padding) {
			at = at < boundary ? behind : boundary;
			break;
		}
		at += insn.length;
	}
	/* a padding instruction may take in a function's first byte by
	 * mistake */
	while (at > behind && usdt_image_function(&p->image, at - 1, &next))
		at--;
	plan->covered = (uint8_t)((at < end ? at : end) - plan->address);
	plan->limit = USDT_ENDS;
}

/* A walk over a function: looks for ends of claims and for nops, in order. */
struct walk {
	struct usdt_function function;
	const struct usdt_claim *claim;		/* the next */
	const struct usdt_claim *claims_end;
	struct usdt_plan *plans;		/* all */
	struct usdt_plan *covers;		/* the first not covered yet */
	struct usdt_plan *plan;			/* the next nop */
	struct usdt_plan *plans_end;
	int tables;				/* it may jump through tables */
	int framed;				/* %rbp points to its frame */
	int ends;				/* `ends` of the last decoded */
};

/* Returns true for a function that begins by making %rbp point to the frame. */
static bool makes_frame(const uint8_t *bytes, uint64_t n)
{
	/* endbr64; push %rbp; mov %rsp,%rbp, of which there are two forms */
	static const uint8_t entry[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t forms[][4] = {
		{ 0x55, 0x48, 0x89, 0xe5 }, { 0x55, 0x48, 0x8b, 0xec },
	};

	if (n > sizeof(entry) &&
	    !__builtin_memcmp(bytes, entry, sizeof(entry))) {
		bytes += sizeof(entry);
		n -= sizeof(entry);
	}
	return n >= sizeof(forms[0]) &&
	       (!__builtin_memcmp(bytes, forms[0], sizeof(forms[0])) ||
		!__builtin_memcmp(bytes, forms[1], sizeof(forms[1])));
}

/* Notes that an instruction begins among the bytes of a pun's operand. The
 * kernel may write a call into a nop of five bytes that has a uprobe. */
static void operand_begin(struct usdt_plan *plan, uint64_t at,
			  const struct usdt_decoded *insn)
{
	if (at < USDT_JUMP_BYTES && insn->padding &&
	    insn->length == USDT_JUMP_BYTES)
		plan->limit = USDT_FIXED;
	plan->starts |= (uint16_t)(1u << at);
	if (!plan->limit)
		plan->covered = (uint8_t)(at + insn->length);
}

/* Finds the instructions of a pun's operand behind the end of its function:
 * those of the next one; of bytes that nothing describes, each may be one. */
static void operand_cover(const struct planning *p, struct usdt_plan *plan,
			  uint64_t behind)
{
	uint64_t end = plan->address + USDT_JUMP_BYTES, next = behind, left;
	struct usdt_function function;
	struct usdt_decoded insn;
	const uint8_t *bytes;

	for (uint64_t at = behind; at < end && !plan->limit; at++) {
		bool known = usdt_image_function(&p->image, at, &function);

		if (known && at != next && at != function.start)
			continue;
		insn = (struct usdt_decoded){ .length = 1 };
		bytes = known ? usdt_image_at(&p->image, at, 1, PF_R | PF_X,
					      &left) : NULL;
		if (known && (!bytes || !usdt_decode(p->decoder, bytes, left,
						     at, &insn)))
			plan->limit = USDT_ENDS;
		else
			operand_begin(plan, at - plan->address, &insn);
		next = at + insn.length;
	}
}

/* Notes what an instruction leads to, and adds it to the plans that it is
 * in. */
static void walk_insn(struct planning *p, struct walk *walk, uint64_t address,
		      const struct usdt_decoded *insn)
{
	uint64_t end = address + insn->length;
	struct usdt_moved *moved;
	struct usdt_plan *plan;
	uint64_t at;

	walk->ends = insn->ends;
	p->through |= walk->tables && insn->through;
	if (insn->leads)
		usdt_scan_led(&p->scan, insn->target);
	/* claims up to here are decided: noted just now, or wrong */
	while (walk->claim < walk->claims_end && walk->claim->end <= end)
		walk->claim++;
	for (; walk->plan < walk->plans_end && walk->plan->address < end;
	     walk->plan++)
		if (walk->plan->address != address)
			walk->plan->limit = USDT_UNDECODED;
	for (plan = walk->covers; plan < walk->plan; plan++) {
		at = address - plan->address;
		/* a nop stays; a site in the middle of this instruction */
		if (address < plan->address || (!at && !plan->whole))
			continue;
		if (at >= USDT_PATCH_MAX) {
			walk->covers += plan == walk->covers;
			continue;
		}
		if (plan->limit)
			continue;
		if (plan->pun && at) {
			operand_begin(plan, at, insn);
			continue;
		}
		if (insn->move == USDT_STAYS || plan->count == USDT_MOVED_MAX) {
			plan->limit = USDT_FIXED;
			continue;
		}
		moved = &plan->moved[plan->count++];
		plan->starts |= (uint16_t)(1u << at);
		plan->covered = (uint8_t)(at + insn->length);
		moved->target = insn->target;
		moved->at = (uint8_t)at;
		moved->length = insn->length;
		moved->move = insn->move;
		moved->field = insn->field;
		moved->code = insn->code;
		moved->faults = insn->faults == USDT_UNSAFE ||
				(insn->faults == USDT_SAFE_IN_FRAME &&
				 !walk->framed);
	}
}

/* Tells whether plans cover the next instruction, or begin with it, so that
 * every member of `struct usdt_decoded` must be known. */
static bool walk_covers(const struct walk *walk, uint64_t address)
{
	return walk->covers != walk->plan ||
	       (walk->plan < walk->plans_end && walk->plan->whole &&
		walk->plan->address == address);
}

/*
 * Decodes a function as far as a claim or a plan needs it: finds the covered
 * instructions and the targets of branches.
 * Gives up at a place that cannot be decoded.
 */
static void function_walk(struct planning *p, struct walk *walk)
{
	uint64_t n = walk->function.end - walk->function.start;
	const uint8_t *bytes = usdt_image_at(&p->image, walk->function.start,
					     n, PF_R | PF_X, NULL);
	struct usdt_decoded insn;
	struct usdt_plan *plan;
	uint64_t address;

	walk->tables = walk->plan < walk->plans_end && bytes &&
		       usdt_jumps_through(bytes, n);
	walk->framed = bytes && makes_frame(bytes, n);
	for (uint64_t at = 0; at < n; at += insn.length) {
		if (!walk->tables && walk->claim == walk->claims_end &&
		    walk->covers == walk->plans_end)
			return;
		address = walk->function.start + at;
		/* only the decoder gives every member of `insn` */
		if (!bytes ||
		    ((walk_covers(walk, address) ||
		      !usdt_decode_plain(bytes + at, n - at, address, &insn)) &&
		     !usdt_decode(p->decoder, bytes + at, n - at, address,
				  &insn)))
			goto fail;
		walk_insn(p, walk, address, &insn);
	}
	for (; walk->covers < walk->plan; walk->covers++)
		if (!walk->covers->limit && walk->covers->pun)
			operand_cover(p, walk->covers, walk->function.end);
		else if (!walk->covers->limit)
			padding_cover(p, walk->covers, walk->function.end,
				      walk->ends);
	return;
fail:
	/* all claims that are left count as right */
	for (; walk->claim < walk->claims_end; walk->claim++)
		usdt_scan_led(&p->scan, walk->claim->target);
	for (plan = walk->tables ? walk->plans : walk->covers;
	     plan < walk->plans_end; plan++) {
		/* bytes that are covered already stay so, unless a table may
		 * lead there */
		if (walk->tables || plan >= walk->plan)
			plan->covered = 0;
		if (walk->tables || !plan->limit)
			plan->limit = USDT_UNDECODED;
	}
}

/* Walks the functions of all nops and claims. */
static void functions_walk(struct planning *p)
{
	struct usdt_scan *scan = &p->scan;
	struct usdt_plan *plans_end = scan->plans + scan->count;
	const struct usdt_claim *claims_end = scan->claims + scan->nclaims;
	struct walk walk = { .claim = scan->claims, .plan = scan->plans };

	while (walk.claim < claims_end || walk.plan < plans_end) {
		uint64_t at = ~0ull;

		if (walk.claim < claims_end)
			at = walk.claim->end - 1;
		if (walk.plan < plans_end && walk.plan->address <= at)
			at = walk.plan->address;
		/* mostly the function of the next nop, which has the bounds */
		if (walk.plan < plans_end && at >= walk.plan->start &&
		    at < walk.plan->end) {
			walk.function.start = walk.plan->start;
			walk.function.end = walk.plan->end;
			walk.function.part = walk.plan->part;
		} else if (!usdt_image_function(&p->image, at,
						&walk.function)) {
			/* the plan has its reason already */
			if (walk.plan < plans_end && walk.plan->address == at)
				walk.plan++;
			else
				usdt_scan_led(scan, walk.claim++->target);
			continue;
		}
		walk.claims_end = walk.claim;
		while (walk.claims_end < claims_end &&
		       walk.claims_end->end <= walk.function.end)
			walk.claims_end++;
		walk.plans = walk.covers = walk.plans_end = walk.plan;
		while (walk.plans_end < plans_end &&
		       walk.plans_end->address < walk.function.end)
			walk.plans_end++;
		function_walk(p, &walk);
		walk.claim = walk.claims_end;
		walk.plan = walk.plans_end;
	}
}

/* Notes the places that tables of jumps lead to, for plans that know where
 * instructions begin. Returns 0 or -ENOMEM. */
static int places_note(struct planning *p)
{
	struct usdt_places none = { 0 }, *places = &none;
	struct usdt_plan *plan, *end = p->scan.plans + p->scan.count;
	uint32_t i, k;
	int ret;

	if (p->image.bounds)
		places = &p->image.file->bounds->places;
	ret = usdt_places_find(places, &p->image, p->decoder);
	for (i = 0; i < places->count; i++) {
		const struct usdt_range *range = &places->list[i];

		if (range->end - range->first == 1) {
			usdt_scan_led(&p->scan, range->first);
			continue;
		}
		k = usdt_plans_before(p->scan.plans, p->scan.count,
				      range->first - 1);
		for (plan = p->scan.plans + k;
		     plan < end && plan->address < range->end; plan++)
			plan->led |= plan->starts & 0xfffe;
	}
	usdt_places_close(&none);
	return ret;
}

static void handler_led(void *arg, uint64_t target)
{
	usdt_scan_led(arg, target);
}

/* Tells whether a function may be a part of another one, which leads there. In
 * a small program each may be: parts without a stack of their own are known by
 * others beside them. */
static bool is_apart(const struct planning *p,
		     const struct usdt_function *function)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < p->image.count; i++)
		if (p->image.loads[i].p_flags & PF_X)
			bytes += p->image.loads[i].p_filesz;
	return function->part || bytes <= SMALL_BYTES ||
	       function->start - p->parts < p->parts_end - p->parts;
}

/* Checks a site by itself, before any code is scanned. */
static enum usdt_reason site_look(struct planning *p, struct usdt_plan *plan)
{
	struct usdt_function function;
	const uint8_t *bytes;

	bytes = usdt_image_at(&p->image, plan->address, USDT_JUMP_BYTES,
			      PF_R | PF_X, NULL);
	if (!plan->whole && (!bytes || bytes[0] != NOP))
		return USDT_NO_NOP;
	if (!bytes || !usdt_image_function(&p->image, plan->address, &function))
		return USDT_NO_FUNCTION;
	plan->start = function.start;
	plan->end = function.end;
	plan->part = (uint8_t)!!function.part;
	plan->bare = !function.frame;
	plan->apart = is_apart(p, &function);
	if (function.signal)
		return USDT_SIGNAL_FRAME;
	if (function.handlers &&
	    !usdt_image_handlers(&p->image, &function, handler_led, &p->scan))
		return USDT_HANDLERS;
	return USDT_FINE;
}

#define PREFIXES_MAX	3u

/* Returns how many prefixes the first jump needs, so that no instruction begins
 * at the highest byte of the operand; 0 also where none help. */
static uint32_t prefixes_needed(const struct usdt_plan *plan)
{
	uint32_t n = 0;

	if (!plan->low)
		return 0;
	while (n <= PREFIXES_MAX &&
	       plan->starts >> (n + USDT_JUMP_BYTES - 1) & 1)
		/* the bytes up to that of the jump */
		if (plan->starts >> ++n & 1)
			return 0;
	return n <= PREFIXES_MAX ? n : 0;
}

/* Decides whether the bytes of one instruction may be switched. */
static enum usdt_reason pun_settle(const struct planning *p,
				   struct usdt_plan *plan)
{
	uint32_t n = plan->count ? plan->moved[0].length : 0;
	const uint8_t *bytes = usdt_image_at(&p->image, plan->address,
					     USDT_JUMP_BYTES, PF_R | PF_X,
					     NULL);

	if (!n || plan->covered < USDT_JUMP_BYTES || !bytes)
		return plan->limit ? plan->limit : USDT_UNDECODED;
	/* no pun, or code that leads behind a prefix */
	if (n >= USDT_JUMP_BYTES || plan->led & ((1u << n) - 2))
		return USDT_LED_TO;
	plan->faults = plan->moved[0].faults;
	plan->covered = USDT_JUMP_BYTES;
	plan->switched = (uint8_t)n;
	plan->starts &= (1u << USDT_JUMP_BYTES) - 1;
	__builtin_memcpy(plan->bytes, bytes, USDT_JUMP_BYTES);
	return USDT_FINE;
}

/* Decides which instructions must move, when everything about the site is
 * known. */
static enum usdt_reason site_settle(const struct planning *p,
				    struct usdt_plan *plan)
{
	uint32_t n;			/* to be switched; 0: no jump */
	uint32_t led = plan->led;
	const uint8_t *bytes;
	uint32_t end, stop, i;

	if (plan->pun)
		return pun_settle(p, plan);
	/* a call returns to the next instruction */
	for (i = 0; i < plan->count; i++)
		if (plan->moved[i].move == USDT_CALL ||
		    plan->moved[i].move == USDT_CALL_THROUGH)
			led |= 1u << (plan->moved[i].at +
				      plan->moved[i].length);
	plan->prefixes = (uint8_t)prefixes_needed(plan);
	n = USDT_JUMP_BYTES + plan->prefixes;
	/* each join begins another jump */
	for (uint32_t k = 1; k < n; k++) {
		if (!(led >> k & 1))
			continue;
		if (!(plan->starts >> k & 1) ||
		    k + USDT_JUMP_BYTES > USDT_PATCH_MAX) {
			n = 0;
			break;
		}
		plan->joins |= (uint16_t)(1u << k);
		n = k + USDT_JUMP_BYTES;
	}
	/* instructions behind the jumps also stay where they are: a thread that
	 * is led there would not come to the moved ones */
	stop = n > plan->needs ? n : plan->needs + 1u;
	stop = stop > plan->takes ? stop : plan->takes;
	for (uint32_t k = n; n && k < stop; k++)
		if (led >> k & 1)
			return USDT_LED_TO;
	if (n && n < plan->takes)
		n = plan->takes;
	end = n;
	if (plan->covered < (n ? n : USDT_JUMP_BYTES))
		return plan->joins || !plan->limit ? USDT_LED_TO : plan->limit;
	if (!n)
		return USDT_LED_TO;
	for (i = 0; i < plan->count && plan->moved[i].at < stop; i++) {
		plan->faults |= plan->moved[i].faults;
		if (plan->moved[i].at + plan->moved[i].length > (int)end)
			end = plan->moved[i].at + plan->moved[i].length;
	}
	plan->count = (uint8_t)i;
	plan->covered = (uint8_t)end;
	plan->switched = (uint8_t)n;
	plan->starts &= (uint16_t)((1u << n) - 1);
	bytes = usdt_image_at(&p->image, plan->address, end, PF_R | PF_X, NULL);
	if (!bytes)
		return USDT_ENDS;
	__builtin_memcpy(plan->bytes, bytes, end);
	return USDT_FINE;
}

/* Notes in a plan whose site moves that a probe's nop is among the bytes, or so
 * shortly before them that a jump there would have some as its operand. */
static void whole_near(struct usdt_plan *plan, uint64_t nop)
{
	if (!plan->reason && nop + USDT_JUMP_BYTES > plan->address &&
	    nop < plan->address + plan->covered)
		plan->reason = USDT_OVERLAPS;
}

/* Notes in plans that another probe's nop is among their bytes. */
static int probe_seen(const struct usdt_probe *probe, void *arg)
{
	struct planning *p = arg;
	uint32_t before = usdt_plans_before(p->scan.plans, p->scan.count,
					    probe->address);

	for (uint32_t i = before; i < p->scan.count; i++) {
		if (p->scan.plans[i].address >=
		    probe->address + USDT_JUMP_BYTES)
			break;
		if (p->scan.plans[i].whole)
			whole_near(&p->scan.plans[i], probe->address);
	}
	for (uint32_t i = before; i-- > 0;) {
		struct usdt_plan *plan = &p->scan.plans[i];
		uint64_t k = probe->address - plan->address;

		if (k >= USDT_PATCH_MAX)
			break;
		if (plan->whole) {
			whole_near(plan, probe->address);
			continue;
		}
		if (plan->reason || k >= plan->switched || plan->beside == k)
			continue;
		/* it moves, too, if it is the only one. A nop of our own marker
		 * does not: the marker's site changes */
		if (plan->beside || !(plan->starts >> k & 1) ||
		    plan->bytes[k] != NOP ||
		    (k + 1 < plan->covered && plan->bytes[k + 1] == TEST))
			plan->reason = USDT_OVERLAPS;
		else
			plan->beside = (uint8_t)k;
	}
	return 0;
}

/* Makes all plans, for an image that is open. Returns a reason that holds for
 * all, or USDT_FINE. */
static int planning_run(struct planning *p, struct usdt_plan *plans,
			uint32_t n)
{
	uint32_t fine = 0;
	uint64_t other;
	uint32_t k;
	int ret = USDT_FINE;

	if (usdt_scan_open(&p->scan, &p->image, plans, n))
		return USDT_NO_MEMORY;
	if (!usdt_image_parts(&p->image, &p->parts, &p->parts_end))
		p->parts = p->parts_end = 0;
	for (uint32_t i = 0; i < n; i++) {
		plans[i].reason = i && plans[i - 1].address ==
						plans[i].address ?
					  USDT_OVERLAPS :
					  (uint8_t)site_look(p, &plans[i]);
		fine += !plans[i].reason;
	}
	if (fine) {
		usdt_scan_code(&p->scan);
		functions_walk(p);
	}
	if (fine && places_note(p))
		ret = USDT_NO_MEMORY;
	/* a part may jump through them, too */
	if (p->through || p->parts_end)
		usdt_scan_addresses(&p->scan);
	for (uint32_t i = 0; i < n; i++)
		if (!plans[i].reason)
			plans[i].reason = (uint8_t)site_settle(p, &plans[i]);
	usdt_notes_read(p->image.file, probe_seen, p, NULL);
	/* of several plans in a row the earlier ones decide */
	for (uint32_t i = 0; i < n; i++) {
		if (plans[i].reason || !plans[i].beside || plans[i].second)
			continue;
		other = plans[i].address + plans[i].beside;
		for (k = i + 1; k < n && plans[k].address <= other; k++)
			plans[k].second |= plans[k].address == other;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (plans[i].reason || plans[i].whole)
			continue;
		plans[i].gates[1].at = plans[i].beside;
		plans[i].ngates = plans[i].beside ? 2 : 1;
	}
	usdt_scan_close(&p->scan);
	return ret;
}

void usdt_plan(const struct usdt_file *file, const struct usdt_decoder *decoder,
	       struct usdt_plan *plans, uint32_t n)
{
	struct planning p = { .decoder = decoder };
	int reason = USDT_NO_DECODER;

	for (uint32_t i = 0; i < n; i++)
		plans[i] = (struct usdt_plan){ .address = plans[i].address,
					       .whole = plans[i].whole,
					       .needs = plans[i].needs,
					       .takes = plans[i].takes,
					       .pun = plans[i].pun,
					       .low = plans[i].low };
	if (n && decoder)
		reason = usdt_image_open(&p.image, file) ?
				 USDT_NO_FUNCTION : planning_run(&p, plans, n);
	for (uint32_t i = 0; i < n && reason; i++)
		plans[i].reason = (uint8_t)reason;
}

#define PAGE		4096ull
#define TRAP		0xcc
#define UNIT		16u	/* of places (jumps/near-x86_64.c) */
#define LAST		(USDT_TRAMPOLINE_BYTES - 1)

/* From here on jumps with cc as the operand's highest byte lead above 0. */
#define LOW_END		0x34000000ull

bool usdt_is_low(uint64_t address)
{
	return address < LOW_END;
}

/* Tells whether a jump at an offset, of whose operand the lower two bytes are
 * cc, would lead to places that cross into the next page. */
static bool leads_across(const struct usdt_plan *plan, uint32_t at)
{
	uint64_t to = plan->address + at + USDT_JUMP_BYTES + 0xcccc;

	return (plan->starts >> (at + 1) & 3) == 3 &&
	       !(plan->joins >> (at + 1) & 3) &&
	       (to & (PAGE - 1)) + USDT_TRAMPOLINE_BYTES > PAGE;
}

/* Tells whether places of a jump of which one byte is switched, so that all are
 * given, have units of usdt_near_exact() in common or cross into the next page:
 * those with and without a cc in the lower two bytes of the operand. */
static bool puns_meet(const struct usdt_plan *plan)
{
	uint32_t starts = plan->starts, n = 0;
	uint64_t to[4];

	for (uint32_t k = 1; k <= 2; k++)
		if (plan->bytes[k] == TRAP)
			starts &= ~(1u << k);
	for (uint32_t some = 0; plan->switched == 1 && some <= 6; some += 2) {
		if (some & ~starts)
			continue;
		to[n] = plan->address + USDT_JUMP_BYTES +
			(some & 2 ? TRAP : plan->bytes[1]) +
			(some & 4 ? TRAP : plan->bytes[2]) * 256u;
		if ((to[n] & (PAGE - 1)) + USDT_TRAMPOLINE_BYTES > PAGE)
			return true;
		for (uint32_t k = 0; k < n; k++)
			if (to[k] / UNIT <= (to[n] + LAST) / UNIT &&
			    to[n] / UNIT <= (to[k] + LAST) / UNIT)
				return true;
		n++;
	}
	return false;
}

bool usdt_plan_leads(const struct usdt_plan *plan)
{
	uint32_t jumps = plan->joins | 1u << plan->prefixes;

	if (plan->pun)
		return !puns_meet(plan) &&
		       (!plan->low ||
			!((plan->starts >> (USDT_JUMP_BYTES - 1) & 1) |
			  plan->bytes[USDT_JUMP_BYTES - 1] >> 7));
	if (plan->low && jumps << (USDT_JUMP_BYTES - 1) & plan->starts)
		return false;
	for (uint32_t at = 0; jumps >> at; at++)
		if (jumps >> at & 1 && leads_across(plan, at))
			return false;
	return true;
}

uint32_t usdt_plan_cost(const struct usdt_plan *plan)
{
	/* by the bytes that are given, the lowest one first */
	static const uint8_t costs[16] = {
		0, 0, 1, 2, 4, 5, 7, 9, 1, 2, 3, 5, 6, 7, 8, 9,
	};
	uint32_t jumps = plan->joins | 1u << plan->prefixes;
	uint32_t given = plan->starts;
	uint32_t cost = 0, k;

	for (k = 0; jumps >> k; k++) {
		if (!(jumps >> k & 1))
			continue;
		cost += costs[given >> (k + 1) & 15] + !!cost;
		/* the operand's bytes are decided for the next jump */
		given |= 15u << (k + 1);
	}
	return cost;
}

bool usdt_plan_moves(const struct usdt_plan *plan, uint64_t at)
{
	for (uint32_t i = 0; i < plan->count; i++)
		if (plan->moved[i].at == at)
			return true;
	return false;
}

int usdt_plan_gate_find(const struct usdt_plan *plan, uint64_t at, bool leaves)
{
	for (int i = 0; i < plan->ngates; i++)
		if (plan->gates[i].at == at && plan->gates[i].leaves == leaves)
			return i;
	return -1;
}

int usdt_plan_gate(struct usdt_plan *plan, uint64_t at, bool leaves)
{
	return usdt_plan_gate_find(plan, at, leaves) >= 0 ?
		       0 : usdt_plan_gate_add(plan, at, leaves);
}

int usdt_plan_gate_add(struct usdt_plan *plan, uint64_t at, bool leaves)
{
	uint32_t i = plan->ngates;

	if (i == USDT_GATES_MAX || !usdt_plan_moves(plan, at))
		return USDT_OVERLAPS;
	for (; i && (plan->gates[i - 1].at > at ||
		     (plan->gates[i - 1].at == at && !leaves)); i--)
		plan->gates[i] = plan->gates[i - 1];
	plan->gates[i] = (struct usdt_gate){ (uint8_t)at, leaves };
	plan->ngates++;
	return 0;
}

const char *usdt_reason_text(enum usdt_reason reason)
{
	static const char *const texts[USDT_REASONS] = {
		[USDT_FINE] = "it can be moved",
		[USDT_NO_DECODER] = "no libZydis to decode instructions with",
		[USDT_NO_MEMORY] = "no memory",
		[USDT_NO_NOP] = "its address has no nop",
		[USDT_NO_FUNCTION] = "its function's bounds are not known",
		[USDT_UNDECODED] = "its function cannot be decoded",
		[USDT_ENDS] = "its code ends within five bytes",
		[USDT_OVERLAPS] = "another probe is within five bytes",
		[USDT_LED_TO] = "a jump leads into the code that would move",
		[USDT_FIXED] = "an instruction after it cannot be moved",
		[USDT_FAULTS] = "an instruction there may fault, and the program handles SIGSEGV or SIGBUS",
		[USDT_SIGNAL_FRAME] = "unwinders know its function by its bytes",
		[USDT_REACH] = "its code has no room within a jump's reach",
		[USDT_PAGES] = "the memory for jumps with bytes of the next instruction is used up",
		[USDT_HANDLERS] = "its function's exception handlers are not known",
	};

	return (uint32_t)reason < USDT_REASONS ? texts[reason] : "unknown";
}
