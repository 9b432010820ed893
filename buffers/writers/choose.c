/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Chooses a slot's writer by the shape of the events and the channel.
 */
#include "buffers/writers/private.h"

write_fn *write_choose(const struct write_shape *shape,
		       const struct channel *channel, uint32_t id,
		       uint64_t *step)
{
	int header = write_header_of(id);
	uint32_t head = write_header_bytes(header, 0);
	uint32_t contexts = channel->contexts & ~CONTEXT_WRITER;

	*step = 1ull << 32 | (head + shape->fixed_bytes);
	if (!channel->cpus)
		return contexts || shape->nvar ||
				       shape->fixed_bytes > 8 ?
			       locked_write_any : locked_write_word;
	if (!contexts && id < write_id_extended(header)) {
		if (!shape->nvar && shape->fixed_bytes <= 8)
			return write_fast_word(header);
		if (!shape->nvar && shape->fixed_bytes <= 256)
			return write_fast_block(shape, header);
		if (shape->nvar == 1 && !shape->var[0].element_bytes &&
		    shape->var[0].rule == WRITE_RULE_PLAIN &&
		    shape->fixed_bytes <= 8 &&
		    shape->var[0].fixed_before == shape->fixed_bytes) {
			*step = 1ull << 32 | head;
			return write_fast_string(header);
		}
		if (shape->nvar == 1 && shape->var[0].element_bytes &&
		    shape->var[0].rule != WRITE_RULE_BARE &&
		    shape->fixed_bytes <= 8 &&
		    shape->var[0].fixed_before == shape->fixed_bytes) {
			*step += sizeof(uint32_t); /* the count */
			return write_fast_sequence(shape, header);
		}
	}
	*step = WRITE_STEP_NONE;
	return write_general;
}
