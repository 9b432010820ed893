/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory that this program has mapped by sys_mmap() (base/sys.h) and not
 * unmapped: an agent that is unloaded gives it back.
 */
#ifndef BASE_MAPPINGS_H
#define BASE_MAPPINGS_H

#include <stdint.h>

#define MAPPINGS_MAX	512u

/* `bytes` is 0 in a free row, and while a thread fills it in. */
struct mapping {
	uint64_t start;
	uint64_t bytes;
};

extern struct mapping mappings[MAPPINGS_MAX];

/* Set for good where a mapping is in no row: there were too many, or a part in
 * the middle of one was unmapped. */
extern uint32_t mappings_lost;

/* Forgets a range that mremap(2) has moved away. SIGSAFE. */
void mapping_forget(uint64_t start, uint64_t bytes);

#endif
