/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests that move between the first two CPUs that it may use. For each line
 * of its input, "WHAT N FILL", it does N of these, and prints "done":
 *
 *	cross	even ones begin on the first CPU and end on the second, odd
 *		ones the other way round; FILL large events on the second
 *		after each
 *	stay	all on the first CPU, with FILL large events after each
 *	open	begins of N requests by id, then their ends
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <taffrail/marker.h>

static cpu_set_t cpus[2];
static long id;

static int find_cpus(void)
{
	cpu_set_t all;
	int n = 0;

	if (sched_getaffinity(0, sizeof(all), &all))
		return -1;
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++) {
		if (!CPU_ISSET(i, &all))
			continue;
		CPU_ZERO(&cpus[n]);
		CPU_SET(i, &cpus[n++]);
	}
	return n == 2 ? 0 : -1;
}

static void go_to(int cpu)
{
	sched_setaffinity(0, sizeof(cpus[cpu]), &cpus[cpu]);
}

static void fill(long n)
{
	static char text[200];

	memset(text, 'x', sizeof(text) - 1);
	while (n-- > 0)
		TAFFRAIL_EVENT(app, fill, TAFFRAIL_STR(text));
}

static void request(int from, int to)
{
	go_to(from);
	TAFFRAIL_EVENT(app, request_begin, id);
	go_to(to);
	TAFFRAIL_EVENT(app, request_end, id);
	id++;
}

static void request_many(long n, long large, int stay)
{
	for (; n > 0; n--) {
		if (stay)
			request(0, 0);
		else
			request(id & 1, !(id & 1));
		if (!stay)
			go_to(1);
		fill(large);
	}
}

static void open_many(long n)
{
	for (long i = 0; i < n; i++)
		TAFFRAIL_EVENT(app, ask, TAFFRAIL_FIELD(id, i));
	for (long i = 0; i < n; i++)
		TAFFRAIL_EVENT(app, answer, TAFFRAIL_FIELD(id, i));
}

int main(void)
{
	char what[16];
	long n, large;

	if (find_cpus())
		return 77;
	puts("ready");
	fflush(stdout);
	while (scanf("%15s %ld %ld", what, &n, &large) == 3) {
		if (!strcmp(what, "open"))
			open_many(n);
		else
			request_many(n, large, !strcmp(what, "stay"));
		puts("done");
		fflush(stdout);
	}
	return 0;
}
