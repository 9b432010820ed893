/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers that write to channels.
 *
 * One channel is the fast case: the site's own slot writes there. With more,
 * the site calls hit_several(), which goes over the object's slots. Changing
 * from one to the other loses and doubles nothing: whatever a thread has
 * loaded of the old state still leads to one slot of each channel.
 *
 * WRITE-SLOT: a slot's rings come last when it goes on and first when it goes
 * off; between two channels of a slot lies a patch_grace().
 */
#include "tracepoints/registry.h"

#include "buffers/base.h"

_Static_assert(offsetof(struct taffrail_site, hit) ==
	       offsetof(struct write_slot, hit), "site");
_Static_assert(offsetof(struct taffrail_site, rings) ==
	       offsetof(struct write_slot, rings), "site");
_Static_assert(offsetof(struct taffrail_site, id) ==
	       offsetof(struct write_slot, id), "site");
_Static_assert(offsetof(struct taffrail_site, agent) ==
	       offsetof(struct write_slot, shape), "site");
_Static_assert(offsetof(struct taffrail_site, agent2) ==
	       offsetof(struct write_slot, step), "site");
_Static_assert(offsetof(struct taffrail_site, enabled) ==
	       offsetof(struct write_slot, enabled), "site");
_Static_assert(offsetof(struct taffrail_site, agent3) ==
	       offsetof(struct write_slot, fixed_bytes), "site");
_Static_assert(sizeof(struct taffrail_var) == sizeof(struct write_var) &&
	       TAFFRAIL_VAR_STRING == WRITE_STRING, "site");

uint32_t channel_bit(const struct channel *channel)
{
	return (uint32_t)(channel - channels);
}

static SIGSAFE void hit_slot(struct object *object, uint32_t i,
			     uint64_t fixed, const struct write_var *var,
			     uint64_t ip)
{
	struct write_slot *slot = &object->slots[i];

	if (object->contexts & 1u << i)
		write_at(slot, fixed, var, ip);
	else
		load_relaxed(&slot->hit)(slot, fixed, var);
}

static COLD SIGSAFE void hit_contexts(struct object *object, uint32_t left,
				      uint64_t fixed,
				      const struct write_var *var, uint64_t ip)
{
	for (; left; left &= left - 1)
		hit_slot(object, (uint32_t)__builtin_ctz(left), fixed, var, ip);
}

/* The last writer is jumped to: what it saves is not saved twice. */
static SIGSAFE void hit_several(struct write_slot *site, uint64_t fixed,
				const struct write_var *var)
{
	struct object *object = (struct object *)site->shape;
	uint32_t left = load_acquire(&object->on);
	struct write_slot *slot;

	if (unlikely(object->contexts || !left)) {
		hit_contexts(object, left, fixed, var,
			     (uint64_t)__builtin_return_address(0));
		return;
	}
	for (; left & (left - 1); left &= left - 1) {
		slot = &object->slots[__builtin_ctz(left)];
		load_relaxed(&slot->hit)(slot, fixed, var);
	}
	slot = &object->slots[__builtin_ctz(left)];
	load_relaxed(&slot->hit)(slot, fixed, var);
}

static void slot_close(struct write_slot *slot)
{
	store_release(&slot->rings[WRITE_COMPACT], &rings_off);
	store_release(&slot->rings[WRITE_LARGE], &rings_off);
}

/* The slot is closed, and a grace period has passed if it ever was open. */
static void slot_open(struct write_slot *slot, const struct write_slot *model,
		      int set_hit)
{
	slot->id = model->id;
	slot->step = model->step;
	slot->fixed_bytes = model->fixed_bytes;
	if (set_hit)
		store_release(&slot->hit, model->hit);
	store_release(&slot->rings[WRITE_COMPACT], model->rings[WRITE_COMPACT]);
	store_release(&slot->rings[WRITE_LARGE], model->rings[WRITE_LARGE]);
}

static int codes_switch(struct object *object, int on,
			const struct patcher *patcher)
{
	struct code *code;
	int first = 0;

	store_release(&object->site->enabled, (uint32_t)on);
	for (code = object->codes; code; code = code->next) {
		int ret = code->stub ? patch_site(patcher, code->address,
						  code->stub, on) :
				       0;

		if (ret && !first)
			first = ret;
	}
	return first;
}

/* Gives the site's own slot to channel `bit`; it was closed, with grace. */
static void site_bind(struct object *object, uint32_t bit)
{
	struct write_slot *site = (struct write_slot *)object->site;

	slot_open(site, &object->slots[bit], 1);
	object->bound = bit + 1;
}

int object_enable(struct object *object, struct channel *channel, uint32_t id,
		  uint64_t *oversize, const struct patcher *patcher)
{
	struct write_slot *site = (struct write_slot *)object->site;
	uint32_t bit = channel_bit(channel);
	struct write_slot *slot = &object->slots[bit];
	int header = channel->flags & SESSION_LARGE_HEADER ? WRITE_LARGE :
							     WRITE_COMPACT;
	uint32_t before = object->on;

	if (before & 1u << bit)
		return 0;
	if (object->site->kind == TAFFRAIL_KIND_GUARD) {
		object->on |= 1u << bit;
		return before ? 0 : codes_switch(object, 1, patcher);
	}
	slot->shape = &object->shape;
	slot->fixed_bytes = object->shape.fixed_bytes;
	slot->id = id;
	slot->hit = write_choose(&object->shape, channel, id, &slot->step);
	object->oversize[bit] = oversize;
	store_release(&object->shape.oversize, oversize);
	if (channel->contexts)
		object->contexts |= 1u << bit;
	else
		object->contexts &= ~(1u << bit);
	store_release(&slot->rings[header], channel->rings);
	store_release(&object->on, before | 1u << bit);
	if (before) {
		store_release(&site->hit, hit_several);
		return 0;
	}
	if (object->bound) {
		slot_close(site);
		patch_grace();
	}
	site_bind(object, bit);
	return codes_switch(object, 1, patcher);
}

/* The counter of a channel that is left: what is at the old one's address
 * belongs to another session soon. Never NULL: a writer tests, then adds. */
static void oversize_leave(struct object *object, uint32_t left)
{
	static uint64_t nobody;

	store_release(&object->shape.oversize,
		      left ? object->oversize[__builtin_ctz(left)] : &nobody);
}

void object_disable(struct object *object, struct channel *channel,
		    const struct patcher *patcher)
{
	struct write_slot *site = (struct write_slot *)object->site;
	uint32_t bit = channel_bit(channel);
	uint32_t left = object->on & ~(1u << bit);

	if (left == object->on)
		return;
	store_release(&object->on, left);
	if (object->site->kind == TAFFRAIL_KIND_GUARD) {
		if (!left)
			codes_switch(object, 0, patcher);
		return;
	}
	slot_close(&object->slots[bit]);
	oversize_leave(object, left);
	if (object->bound == bit + 1)
		slot_close(site);
	if (!left) {
		codes_switch(object, 0, patcher);
		return;
	}
	if (left & (left - 1))
		return;
	if (object->bound == bit + 1) {
		patch_grace();
		site_bind(object, (uint32_t)__builtin_ctz(left));
		return;
	}
	store_release(&site->hit, object->slots[__builtin_ctz(left)].hit);
}
