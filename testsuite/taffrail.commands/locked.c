/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library for LD_PRELOAD: in the program taffrail, it locks all memory to
 * come, with the limit of RLIMIT_MEMLOCK.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define LIMIT_BYTES	(8ul << 20)

static __attribute__((constructor)) void lock_memory(void)
{
	struct rlimit limit = { LIMIT_BYTES, LIMIT_BYTES };

	if (strcmp(program_invocation_short_name, "taffrail"))
		return;
	setrlimit(RLIMIT_MEMLOCK, &limit);
	mlockall(MCL_FUTURE);
}
