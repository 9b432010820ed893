/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The work on names of processes (command/elf/work-private.h), of which some
 * take all that they get.
 */
#include "testsuite/unit/unit.h"

#include "command/elf/work-private.h"

#define PROCESSES	100000u
#define ORDINARY	200000u		/* steps of an ordinary process */

int main(void)
{
	struct work work = { WORK_ALL };
	uint64_t shared = 0, least = UINT64_MAX, before;

	unit_check(work_share(&work) >= 1u << 26,
		   "the first process has enough for a browser");
	for (unsigned int i = 0; i < 1000; i++)
		work_done(&work, ORDINARY);
	unit_check(work.left == WORK_ALL,
		   "1,000 ordinary processes take nothing of others");
	for (unsigned int i = 0; i < 64; i++)
		work_done(&work, work_share(&work));
	unit_check(work_share(&work) > 1u << 24,
		   "behind 64 hostile processes, there is more than a quarter");
	for (unsigned int i = 0; i < PROCESSES; i++) {
		uint32_t share = work_share(&work);

		before = work.left;
		work_done(&work, share);
		shared += before - work.left;
		least = share < least ? share : least;
	}
	unit_check(shared < WORK_ALL, "all together have a limit");
	unit_check(least >= WORK_OWN && least > 10 * ORDINARY,
		   "an ordinary process has enough behind hostile ones");
	return unit_end();
}
