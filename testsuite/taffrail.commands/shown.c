/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The program of the manuals' examples: it serves a hundred requests, prints
 * "ready", and serves one a millisecond until its input ends.
 */
#include <poll.h>
#include <stdio.h>
#include <taffrail/marker.h>

volatile long stats;

static void serve(void)
{
	long id = stats++;

	TAFFRAIL_EVENT(app, request, id);
	TAFFRAIL_EVENT(app, reply, id);
}

int main(void)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	int i;

	for (i = 0; i < 100; i++)
		serve();
	puts("ready");
	fflush(stdout);
	while (!poll(&input, 1, 1))
		serve();
	return 0;
}
