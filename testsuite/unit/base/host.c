/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The CPU that a writer gets (base/host.h): the kernel's answer; where that is
 * expensive, an answer no older than HOST_CPU_TICKS.
 */
#include "testsuite/unit/unit.h"

#include <sched.h>

#include "base/host.h"
#include "buffers/clock-x86_64.h"

static bool move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

/* Returns the CPU that a writer would use after it has moved to `cpu`. */
static uint32_t told_on(int cpu)
{
	uint64_t begin = clock_read_tsc();
	uint32_t kept;

	move_to(cpu);
	while (clock_read_tsc() - begin < 2 * HOST_CPU_TICKS)
		;
	kept = host_cpu_kept();
	return host_cpu_renew(kept, clock_read_tsc());
}

static void check_moves(const int *cpus, int count, const char *how)
{
	int wrong = 0;
	int i;

	for (i = 0; i < 200; i++)
		wrong += told_on(cpus[i % count]) != (uint32_t)cpus[i % count];
	unit_equal(wrong, 0, "%s: wrong CPUs after 200 moves", how);
}

int main(void)
{
	cpu_set_t set;
	int cpus[2];
	int count = 0;
	int i;

	sched_getaffinity(0, sizeof(set), &set);
	for (i = 0; i < CPU_SETSIZE && count < 2; i++)
		if (CPU_ISSET(i, &set))
			cpus[count++] = i;
	host_setup();
	unit_equal(host_cpu() < CPU_SETSIZE, 1, "a CPU");
	if (count < 2) {
		unit_skip("moves", "one CPU");
		return unit_end();
	}
	if (host_cpu_fast)
		check_moves(cpus, count, "RDPID");
	host_cpu_fast = 0;
	check_moves(cpus, count, "asked");
	host_cpu_told.cpu = 77;
	host_cpu_told.ticks = clock_read_tsc();
	unit_equal(host_cpu_renew(host_cpu_kept(), host_cpu_told.ticks + 1),
		   77, "not asked at once again");
	unit_equal(host_cpu_renew(77, 0), cpus[1],
		   "asked where no TSC is read");
	return unit_end();
}
