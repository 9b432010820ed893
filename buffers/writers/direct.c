/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The writers of slots whose channel has locked rings only. A single word is
 * written at once; any other event goes to the general writer, and so does a
 * word that meets an obstacle.
 */
#include "buffers/writers/hold-private.h"

static const struct rings *slot_rings(const struct write_slot *slot)
{
	const struct rings *rings =
		load_acquire(&slot->rings[WRITE_COMPACT], WRITE_SLOT);

	return rings != &rings_off ?
		       rings :
		       load_acquire(&slot->rings[WRITE_WIDE], WRITE_SLOT);
}

/* Writes one word into a held ring. Returns false if the general writer must
 * write it: the ring has no room, or the slot now has other rings, to which the
 * id may belong. */
static inline bool word_write(const struct hold *hold,
			      const struct write_slot *slot,
			      const struct rings *rings, uint64_t fixed)
{
	uint32_t id = (uint32_t)load_acquire(&slot->id, WRITE_SLOT);
	uint32_t bytes = slot->shape->fixed_bytes;
	uint64_t commit;
	char *out;

	/* WRITE-SLOT: the id was read before */
	if (unlikely(slot_rings(slot) != rings))
		return false;
	out = hold_place(hold, id, bytes, &commit, 1);
	if (unlikely(!out))
		return commit != HOLD_ROOMLESS || hold_lose_again(hold);
	if (likely(bytes == 8))
		__builtin_memcpy(out, &fixed, 8);
	else
		copy_low(out, (const char *)&fixed, bytes);
	hold_commit(hold, commit);
	return true;
}

SIGSAFE void locked_write_word(struct write_slot *slot, uint64_t fixed,
			       const struct write_var *var)
{
	const struct rings *rings = slot_rings(slot);
	struct channel *channel = load_acquire(&rings->channel, RINGS_CHANNEL);
	bool done = false;

	if (likely(channel && !channel->contexts)) {
		struct hold hold;

		if (likely(hold_take(&hold, channel) == WRITE_FITS)) {
			done = word_write(&hold, slot, rings, fixed);
			hold_release(&hold);
		}
	}
	if (unlikely(!done))
		write_at(slot, fixed, var, 0);
}

SIGSAFE void locked_write_any(struct write_slot *slot, uint64_t fixed,
			      const struct write_var *var)
{
	write_at(slot, fixed, var, (uint64_t)__builtin_return_address(0));
}
