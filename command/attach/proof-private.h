/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether anything in a process uses some of its memory: see proof.c.
 */
#ifndef COMMAND_ATTACH_PROOF_PRIVATE_H
#define COMMAND_ATTACH_PROOF_PRIVATE_H

#include "base/mappings.h"
#include "command/attach/steps.h"
#include "control/unload.h"

#define PROOF_RANGES_MAX	(MAPPINGS_MAX + 4)

struct range {
	uint64_t start, end;
};

/* One proof at a time. */
struct attach_proof {
	struct attach_target *t;
	struct unload_facts facts;
	struct range ranges[PROOF_RANGES_MAX];	/* the code in question */
	size_t nranges;
	struct range held[PROOF_RANGES_MAX];	/* may have its addresses: the
						 * agent's, and our stubs */
	size_t nheld;
	struct range *stacks;		/* what is unused of the threads'
					 * stacks; `start` is 0 where libc does
					 * not know the stack */
	size_t nstacks;
	uint64_t asker;			/* the code of the helper that asks */
	bool memory;			/* all memory is searched */
	uint64_t pages;			/* in this try */
	uint64_t tried_ms;		/* of tries before */
};

/* Read what the agent tells, or take one range, which is only looked for in
 * threads. attach_proof_open() returns 0 or a negative errno; the caller closes
 * the proof, whatever the result. */
int attach_proof_open(struct attach_proof *proof, struct attach_target *t,
		      uint64_t facts);
void attach_proof_open_range(struct attach_proof *proof,
			     struct attach_target *t, uint64_t start,
			     uint64_t bytes);
void attach_proof_close(struct attach_proof *proof);

/* Leaves a range out of the search. */
void attach_proof_except(struct attach_proof *proof, uint64_t start,
			 uint64_t bytes);

/* Begins another try. */
void attach_proof_begin(struct attach_proof *proof);

#endif
