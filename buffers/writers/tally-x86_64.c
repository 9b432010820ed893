/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts in one restartable sequence; see tally.h.
 *
 * Invariant: the addition is one instruction and the last of its
 * section, so it happens once or not at all, and on the CPU of the row. It
 * needs no lock prefix: only this CPU adds to the row.
 */
#include "buffers/writers/pieces-x86_64.h"
#include "buffers/writers/tally.h"

_Static_assert(sizeof(((struct tally *)0)->rows[0]) == 1 << 11, "asm");

SIGSAFE bool tally_add(const struct tally *tally, uint32_t counter)
{
	/* before the rows are read, which exist since it is not 0 */
	uint64_t cpus = load_acquire(&tally->cpus, TALLY_ROWS);

	if (unlikely(!cpus))
		return false;
	__asm__ goto(SECTION_BEGIN
		     "movl %%fs:4(%%r10), %%ecx\n\t"
		     "cmpq %[cpus], %%rcx\n\t"
		     "jae %l[again]\n\t"
		     "shlq $11, %%rcx\n\t"
		     "incq (%[at],%%rcx)\n" SECTION_END
		     :
		     : [ro] "m"(rseq_offset), [cpus] "r"(cpus),
		       [at] "r"(&tally->rows[0][counter])
		     : SECTION_CLOBBERS
		     : again);
	return true;
again:
	return false;
}
