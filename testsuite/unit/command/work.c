/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The work on names of processes (command/elf/work-private.h), of which some
 * take all that they get.
 */
#include "testsuite/unit/unit.h"

#include "command/elf/work-private.h"

#define PROCESSES	100000u
#define ORDINARY	5000000u	/* ns of an ordinary process */

/* Looks take the thread's time. */
static void check_look(void)
{
	struct work_share share = { .ns = WORK_OWN, .clock = work_clock() };
	uint64_t end = work_clock() + 2 * WORK_OWN, looks = 0;

	while (work_look(&share) && work_clock() < end)
		looks++;
	unit_check(!share.ns && looks, "looks end with the time");
	unit_check(!work_look(&share), "no look is left");
	share.ns = 2;
	unit_check(work_take(&share, 1) && !work_take(&share, 5) && !share.ns,
		   "no more is taken than there is");
}

int main(void)
{
	struct work work = { WORK_ALL };
	uint64_t shared = 0, least = UINT64_MAX, before;

	unit_check(work_share(&work) >= 1000000000u,
		   "the first process has enough for a browser");
	for (unsigned int i = 0; i < 1000; i++)
		work_done(&work, ORDINARY);
	unit_check(work.left == WORK_ALL,
		   "1,000 ordinary processes take nothing of others");
	for (unsigned int i = 0; i < 64; i++)
		work_done(&work, work_share(&work));
	unit_check(work_share(&work) > 250000000u,
		   "behind 64 hostile processes, there is more than a quarter");
	for (unsigned int i = 0; i < PROCESSES; i++) {
		uint64_t share = work_share(&work);

		before = work.left;
		work_done(&work, share);
		shared += before - work.left;
		least = share < least ? share : least;
	}
	check_look();
	unit_check(shared < WORK_ALL, "all together have a limit");
	unit_check(least >= WORK_OWN && least > 10 * ORDINARY,
		   "an ordinary process has enough behind hostile ones");
	return unit_end();
}
