/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The block of registers in a frame for gdbserver: all registers of its target
 * description, which depends on the machine, the processor and the release.
 */
#ifndef GDBSTUB_IPA_BLOCK_PRIVATE_H
#define GDBSTUB_IPA_BLOCK_PRIVATE_H

#include <stdint.h>

/* Registers at a tracepoint. */
struct ipa_state {
	const uint64_t *general;	/* in the order of struct registers */
	uint64_t address;
	uint64_t flags;
	const uint8_t *vectors;		/* area of vectors_kept() */
};

/* Returns the size that gdbserver expects of the block, for the number of its
 * description (gdb_agent_ipa_tdesc_idx). */
uint32_t ipa_block_bytes(uint32_t description);

/* Called at start. */
void ipa_block_setup(void);

/* Fills a block of that size. Takes what the state does not have, such as
 * segments and their bases, from the calling thread, which was hit. SIGSAFE. */
void ipa_block_fill(uint8_t *block, uint32_t description,
		    const struct ipa_state *state);

#endif
