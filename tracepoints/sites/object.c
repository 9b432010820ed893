/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers that write to channels.
 *
 * One channel is the fast case: the site's own slot writes to it. With more,
 * the site calls hit_pair() or hit_several(), which go over the object's
 * slots. A change from one to the other neither loses nor doubles an event:
 * whatever part of the old state a thread has loaded still leads to one slot of
 * each channel. A thread that finds the site's own slot closed has written
 * nothing yet, and goes over the object's slots as they are at that time.
 *
 * WRITE-SLOT: when a slot opens, the rings are set after all else that a
 * section reads of the slot, and before the writer that leads to it. When a
 * slot closes, the rings are cleared first. A patch_grace() lies between two
 * channels of one slot.
 */
#include "tracepoints/sites/registry.h"

#include <errno.h>

#include "base/base.h"
#include "tracepoints/program/snapshot.h"
#include "tracepoints/sites/lock.h"

_Static_assert(offsetof(struct taffrail_site, hit_) ==
	       offsetof(struct write_slot, hit), "site");
_Static_assert(offsetof(struct taffrail_site, rings_) ==
	       offsetof(struct write_slot, rings), "site");
_Static_assert(offsetof(struct taffrail_site, id_) ==
	       offsetof(struct write_slot, id), "site");
_Static_assert(offsetof(struct taffrail_site, agent_) ==
	       offsetof(struct write_slot, shape), "site");
_Static_assert(offsetof(struct taffrail_site, agent2_) ==
	       offsetof(struct write_slot, step), "site");
_Static_assert(offsetof(struct taffrail_site, enabled_) ==
	       offsetof(struct write_slot, enabled), "site");
_Static_assert(offsetof(struct taffrail_site, agent3_) ==
	       offsetof(struct write_slot, fixed_bytes), "site");
_Static_assert(sizeof(struct taffrail_var) == sizeof(struct write_var) &&
	       TAFFRAIL_VAR_STRING == WRITE_STRING &&
	       TAFFRAIL_VAR_NULL == WRITE_NULL, "site");

uint32_t objects_turn;

/* Sets the channels of an object. */
static void channels_set(struct object *object, uint32_t on)
{
	store_release(&object->on, (uint16_t)on, SITE_CHANNELS);
	store_release(&objects_turn, objects_turn + 1, SITE_CHANNELS);
}

uint32_t channel_bit(const struct channel *channel)
{
	return (uint32_t)(channel - channels);
}

/* Returns the address of a hit. Without variable fields, one may stand in their
 * place (struct taffrail_var). */
static ALWAYS_INLINE uint64_t hit_address(const struct object *object,
					  const struct write_var *var,
					  uint64_t ip)
{
	const struct code *code = load_relaxed(&object->codes);

	/* the return address is in a stub, not at the probe */
	if (object->adopted && code)
		return (uint64_t)code->address;
	return !object->shape.nvar && var ? (uint64_t)var : ip;
}

/* Counts a hit for which a channel's condition could not be decided. */
static COLD SIGSAFE void undecided_count(struct channel *channel)
{
	uint64_t generation = load_acquire(&channel->rings->generation,
					   RINGS_GENERATION);

	if (load_acquire(&channel->active, CHANNEL_ACTIVE))
		channel_count(channel, generation, &channel->area->undecided);
}

/* Tells whether a channel's condition holds. */
static ALWAYS_INLINE bool condition_holds(uint32_t i,
					  const struct ax_program *condition,
					  const struct ax_event *event,
					  uint64_t *ip)
{
	uint64_t result;

	if (likely(condition->quick))
		return ax_holds(condition, event, ip);
	if (likely(ax_run(condition, event, ip, &result) == AX_DONE))
		return result;
	undecided_count(&channels[i]);
	return false;
}

/* Writes to channels of which some have contexts or a condition; these are
 * about `event`. */
static COLD SIGSAFE void hit_special(struct object *object, uint32_t left,
				     uint64_t fixed,
				     const struct write_var *var, uint64_t ip,
				     const struct ax_event *event)
{
	ip = hit_address(object, var, ip);
	for (; left; left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(left);
		struct channel_slot *own = object_slot(object, i);
		const struct ax_program *condition =
			load_acquire(&own->condition, SITE_CONDITION);

		if (condition && !condition_holds(i, condition, event, &ip))
			continue;
		if (object->contexts & 1u << i)
			write_at(&own->slot, fixed, var, ip);
		else
			load_relaxed(&own->slot.hit)(&own->slot, fixed, var);
	}
}

SIGSAFE void object_hit_as(struct taffrail_site *site, uint64_t fixed,
			   const struct write_var *var, uint64_t ip,
			   const struct ax_event *event)
{
	struct object *object = object_of(site->agent_);

	hit_special(object, load_acquire(&object->on, SITE_CHANNELS), fixed,
		    var, ip, event);
}

SIGSAFE void object_hit_at(struct taffrail_site *site, uint64_t fixed,
			   const struct write_var *var, uint64_t ip)
{
	const struct ax_event event = { fixed, var };

	object_hit_as(site, fixed, var, ip, &event);
}

SIGSAFE void object_hit_channel(struct object *object, uint32_t bit,
				uint64_t fixed, const struct write_var *var)
{
	const struct ax_event event = { fixed, var };

	hit_special(object, 1u << bit, fixed, var, 0, &event);
}

/* The call of the last writer is a jump: registers are not saved twice. */
static SIGSAFE void hit_several(struct write_slot *site, uint64_t fixed,
				const struct write_var *var)
{
	struct object *object = object_of(site->shape);
	uint32_t left = load_acquire(&object->on, SITE_CHANNELS);
	struct write_slot *slot;

	if (unlikely(object->special || !left)) {
		object_hit_at((struct taffrail_site *)site, fixed, var,
			      (uint64_t)__builtin_return_address(0));
		return;
	}
	for (; left & (left - 1); left &= left - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(left);

		slot = &object_slot(object, i)->slot;
		load_relaxed(&slot->hit)(slot, fixed, var);
	}
	slot = &object_slot(object, (uint32_t)__builtin_ctz(left))->slot;
	load_relaxed(&slot->hit)(slot, fixed, var);
}

#define PAIR_UNIT	16	/* bytes: slots and objects are aligned to it */

_Static_assert(offsetof(struct channel_slot, slot) == 0, "hit_pair");

/*
 * Two channels without contexts and conditions. One word leads to both slots,
 * by their distances from the object: with two words a thread could take one
 * slot of the old pair and one of the new, and miss a channel that is in both
 * pairs.
 */
static SIGSAFE __attribute__((aligned(64))) void
hit_pair(struct write_slot *site, uint64_t fixed, const struct write_var *var)
{
	char *object = (char *)object_of(site->shape);
	uint64_t pair =
		load_acquire(&((struct object *)object)->pair, SITE_PAIR);
	int64_t first = (int32_t)pair, second = (int64_t)pair >> 32;
	struct write_slot *one = (void *)(object + first * PAIR_UNIT);
	struct write_slot *other = (void *)(object + second * PAIR_UNIT);

	load_relaxed(&one->hit)(one, fixed, var);
	load_relaxed(&other->hit)(other, fixed, var);
}

/* Readies hit_pair() if it can serve the channels that are on. */
static bool pair_set(struct object *object)
{
	uint32_t on = object->on;
	uint32_t rest = on & (on - 1);
	int64_t first, second;

	if (!rest || rest & (rest - 1) || object->special)
		return false;
	first = (char *)object_slot(object, (uint32_t)__builtin_ctz(on)) -
		(char *)object;
	second = (char *)object_slot(object, (uint32_t)__builtin_ctz(rest)) -
		 (char *)object;
	if ((first | second) & (PAIR_UNIT - 1) ||
	    first / PAIR_UNIT != (int32_t)(first / PAIR_UNIT) ||
	    second / PAIR_UNIT != (int32_t)(second / PAIR_UNIT))
		return false;
	store_release(&object->pair,
		      (uint32_t)(first / PAIR_UNIT) |
			      (uint64_t)(second / PAIR_UNIT) << 32, SITE_PAIR);
	return true;
}

/* Serves one channel with a condition; also a probe whose channel has contexts,
 * as the site's own slot does not know a probe's address. */
static SIGSAFE void hit_condition(struct write_slot *site, uint64_t fixed,
				  const struct write_var *var)
{
	struct object *object = object_of(site->shape);
	uint32_t on = load_acquire(&object->on, SITE_CHANNELS);
	uint64_t ip = (uint64_t)__builtin_return_address(0);
	struct ax_event event = { fixed, var };
	const struct ax_program *condition;
	struct write_slot *slot;
	uint32_t i;

	if (unlikely(!on || on & (on - 1) || object->contexts)) {
		hit_special(object, on, fixed, var, ip, &event);
		return;
	}
	i = (uint32_t)__builtin_ctz(on);
	slot = &object_slot(object, i)->slot;
	condition = load_acquire(&object_slot(object, i)->condition,
				 SITE_CONDITION);
	if (condition && !condition->quick)
		ip = hit_address(object, var, ip);
	if (!condition || condition_holds(i, condition, &event, &ip))
		load_relaxed(&slot->hit)(slot, fixed, var);
}

/*
 * The writer of the site's own slot found the slot closed. The channel has got
 * a condition, or has gone; other channels may have come. `on` and the
 * conditions were set before the slot was closed (WRITE-SLOT).
 */
static SIGSAFE void hit_closed(struct write_slot *slot, uint64_t fixed,
			       const struct write_var *var, uint64_t ip)
{
	struct object *object = object_of(slot->shape);

	if (slot != (struct write_slot *)object->site)
		return;		/* a slot of the object: its channel has gone */
	if (!ip && object->codes)
		ip = (uint64_t)object->codes->address;
	object_hit_at(object->site, fixed, var, ip);
}

void object_setup(void)
{
	write_closed = hit_closed;
}

/* Closes a slot: a writer that loads the rings afterwards writes nothing. */
static void slot_close(struct write_slot *slot)
{
	store_release(&slot->rings[WRITE_COMPACT], &rings_off, WRITE_SLOT);
	store_release(&slot->rings[WRITE_WIDE], &rings_off, WRITE_SLOT);
}

/* Switches a marker's code. Where gdbserver has moved it, the moved code is
 * switched, which is as good. */
static int code_patch(struct code *code, int on, const struct patcher *patcher)
{
	int ret = patch_site(patcher, code->address, code->stub, on);

	return code->refused = ret == -EINPROGRESS ? 0 : ret;
}

/* Switches all copies of a marker's code. Goes on after an error, and returns
 * the first one. */
static int codes_switch(struct object *object, int on,
			const struct patcher *patcher)
{
	struct code *code;
	int first = 0;

	store_release(&object->site->enabled_, (uint32_t)on, SITE_ENABLED);
	for (code = object->codes; code; code = code->next) {
		int ret = 0;

		/* REGISTRY-UNSETTLED: `enabled_` is set before the word */
		if (code->flags & CODE_SETTLED)
			store_release(&registry_unsettled, 1,
				      REGISTRY_UNSETTLED);
		/* raised first, lowered last: while it is raised the program
		 * computes the arguments */
		if (code->semaphore && on)
			__atomic_fetch_add(code->semaphore, 1,
					   __ATOMIC_RELAXED);
		if (object->adopted)
			ret = registry_adopted->switch_to(patcher,
							  object->adopted, on);
		else if (code->stub)
			ret = code_patch(code, on, patcher);
		/* the old code may still run somewhere */
		if (!ret && on && code->stub && code->flags & CODE_MOVED)
			ret = -ESTALE;
		if (code->semaphore && !on)
			__atomic_fetch_sub(code->semaphore, 1,
					   __ATOMIC_RELAXED);
		if (ret && !first)
			first = ret;
	}
	return first;
}

/* Gives the site's own slot to channel `bit`. */
static void site_bind(struct object *object, uint32_t bit)
{
	struct write_slot *site = (struct write_slot *)object->site;
	const struct write_slot *model = &object_slot(object, bit)->slot;

	if (object->bound == bit + 1 &&
	    site->rings[WRITE_COMPACT] == model->rings[WRITE_COMPACT] &&
	    site->rings[WRITE_WIDE] == model->rings[WRITE_WIDE]) {
		store_release(&site->hit, model->hit, SITE_HIT);
		return;
	}
	if (object->bound) {
		slot_close(site);
		patch_grace();
	}
	site->id = model->id;
	site->step = model->step;
	site->fixed_bytes = model->fixed_bytes;
	store_release(&site->rings[WRITE_COMPACT], model->rings[WRITE_COMPACT],
		      WRITE_SLOT);
	store_release(&site->rings[WRITE_WIDE], model->rings[WRITE_WIDE],
		      WRITE_SLOT);
	/* last: a thread that loads the new writer finds the rings */
	store_release(&site->hit, model->hit, SITE_HIT);
	object->bound = (uint8_t)(bit + 1);
}

/*
 * Leads the site to the object's channels. A single channel without a condition
 * gets the site's own slot; every other set has a function that goes over the
 * object's slots. hit_closed() does the same for threads on their way to a slot
 * whose channel has got a condition or has gone.
 */
static void site_lead(struct object *object)
{
	struct write_slot *site = (struct write_slot *)object->site;
	uint32_t on = object->on;
	uint32_t bound = object->bound ? 1u << (object->bound - 1) : 0;
	uint32_t led = object->conditions |
		       (object->adopted ? object->contexts : 0);

	/* the new function first: hits then do not go to a closed slot */
	if (on & (on - 1))
		store_release(&site->hit,
			      pair_set(object) ? hit_pair : hit_several,
			      SITE_HIT);
	else if (on & led)
		store_release(&site->hit, hit_condition, SITE_HIT);
	if (bound && (!(on & bound) || led & bound))
		slot_close(site);
	if (on && !(on & (on - 1)) && !(on & led))
		site_bind(object, (uint32_t)__builtin_ctz(on));
}

/* Sets or clears a bit. */
static void mask_set(uint16_t *mask, uint32_t bit, int value)
{
	*mask = (uint16_t)(value ? *mask | 1u << bit : *mask & ~(1u << bit));
}

/* Sets the condition of a channel, before the slot opens. */
static void condition_set(struct object *object, uint32_t bit,
			  const struct ax_program *condition)
{
	store_release(&object_slot(object, bit)->condition, condition,
		      SITE_CONDITION);
	mask_set(&object->conditions, bit, !!condition);
	object->special = (uint16_t)(object->contexts | object->conditions);
}

/* Fills the slot of a channel that the object does not write to yet. */
static void slot_prepare(struct object *object, uint32_t bit,
			 const struct object_use *use)
{
	struct write_slot *slot = &object_slot(object, bit)->slot;
	struct channel *channel = use->channel;
	int header = write_header_of(use->id);

	slot->shape = &object->shape;
	slot->fixed_bytes = object->shape.fixed_bytes;
	slot->id = use->id;
	slot->hit = use->hit ? use->hit :
			       write_choose(&object->shape, channel, use->id,
					    &slot->step);
	if (object->shape.oversize)
		store_release(&object->shape.oversize[bit], use->oversize,
			      OVERSIZE_COUNT);
	mask_set(&object->contexts, bit,
		 !!(channel->contexts & ~CONTEXT_WRITER));
	object->special = (uint16_t)(object->contexts | object->conditions);
	store_release(&slot->rings[header], channel->rings, WRITE_SLOT);
}

/* Returns true for a slot that leads nowhere: it is off, or has a pause. */
static bool is_closed(const struct write_slot *slot)
{
	return slot->rings[WRITE_COMPACT] == &rings_off &&
	       slot->rings[WRITE_WIDE] == &rings_off;
}

/* Switches on again the code that could not be switched on when the object's
 * first channel came. Returns as codes_switch(). */
static int object_retry(struct object *object, const struct patcher *patcher)
{
	struct code *code;
	int first = 0;

	if (object->adopted && registry_adopted->refused(object->adopted))
		registry_adopted->switch_to(patcher, object->adopted, 1);
	if (object->adopted)
		return registry_adopted->refused(object->adopted);
	for (code = object->codes; code; code = code->next) {
		if (code->flags & CODE_MOVED && !first)
			first = -ESTALE;
		if (!code->refused || !code->stub)
			continue;
		if (code_patch(code, 1, patcher) && !first)
			first = code->refused;
	}
	return first;
}

int object_enable(struct object *object, const struct object_use *use,
		  const struct patcher *patcher)
{
	uint32_t bit = channel_bit(use->channel);
	uint32_t before = object->on;
	const struct write_slot *slot;

	if (object->site->kind_ == TAFFRAIL_KIND_GUARD) {
		object->on = (uint16_t)(before | 1u << bit);
		return before ? 0 : codes_switch(object, 1, patcher);
	}
	if (!registry_slot(object, bit))
		return -ENOMEM;
	condition_set(object, bit, use->condition);
	slot = &object_slot(object, bit)->slot;
	if (!(before & 1u << bit) || slot->id != use->id || is_closed(slot)) {
		slot_prepare(object, bit, use);
		channels_set(object, before | 1u << bit);
	}
	site_lead(object);
	if (!before)
		return codes_switch(object, 1, patcher);
	return object_retry(object, patcher);
}

void object_pause(struct object *object, const struct channel *channel)
{
	uint32_t bit = channel_bit(channel);

	slot_close(&object_slot(object, bit)->slot);
	if (object->bound == bit + 1)
		slot_close((struct write_slot *)object->site);
}

void object_disable(struct object *object, struct channel *channel,
		    const struct patcher *patcher)
{
	uint32_t bit = channel_bit(channel);
	uint32_t left = object->on & ~(1u << bit);

	if (left == object->on)
		return;
	channels_set(object, left);
	if (object->site->kind_ == TAFFRAIL_KIND_GUARD) {
		if (!left)
			codes_switch(object, 0, patcher);
		return;
	}
	slot_close(&object_slot(object, bit)->slot);
	if (object->shape.oversize)
		store_release(&object->shape.oversize[bit], NULL,
			      OVERSIZE_COUNT);
	mask_set(&object->contexts, bit, 0);
	condition_set(object, bit, NULL);
	site_lead(object);
	if (!left)
		codes_switch(object, 0, patcher);
}

int object_snapshots(struct object *object, enum object_user user, int on,
		     const struct patcher *patcher)
{
	uint32_t users = on ? object->snapshots | user :
			      object->snapshots & ~(uint32_t)user;
	struct code *code;
	int first = 0;

	/* the registers of a probe are always known (usdt_hit) */
	for (code = object->adopted ? NULL : object->codes; code;
	     code = code->next) {
		int ret = code->stub ? snapshot_switch(patcher, object->site,
						       code->stub, !!users) :
				       -ENOTSUP;

		if (ret && !first)
			first = ret;
	}
	store_relaxed(&object->snapshots, users);
	return on ? first : 0;
}
