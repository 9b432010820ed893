/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declares markers as it is told, and counts what that takes:
 *
 *	declare N	N more markers
 *	batches N	then prints the least CPU time of N batches of 20 more,
 *			of all threads, in ns
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <taffrail/event.h>

#define BATCH	20

static int declared;

static int declare(int n)
{
	static const struct taffrail_event_field fields[] = {
		{ "id", TAFFRAIL_T_S32 },
	};
	char name[32];

	for (; n; n--, declared++) {
		snprintf(name, sizeof(name), "marker%d", declared);
		if (!taffrail_event_declare("beside", name, fields, 1))
			return 0;
	}
	return 1;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t batches(int n)
{
	uint64_t least = UINT64_MAX;

	for (; n; n--) {
		uint64_t begin = now();
		uint64_t took = declare(BATCH) ? now() - begin : UINT64_MAX;

		if (took < least)
			least = took;
	}
	return least;
}

int main(void)
{
	char line[64];
	int n;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready\n");
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n")) {
		if (sscanf(line, "declare %d", &n) == 1)
			printf("declared %d\n", declare(n) ? declared : -1);
		else if (sscanf(line, "batches %d", &n) == 1)
			printf("took %llu\n", (unsigned long long)batches(n));
	}
	return 0;
}
