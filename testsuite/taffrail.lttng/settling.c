/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * settling N: attaches a callback to LTTng's events. At the Nth call of
 * calloc() meanwhile, as LTTng makes them where it connects an event, a signal
 * handler ends the program. Prints how many calls there were, if fewer.
 */
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "every.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <taffrail/probe.h>
#include <unistd.h>

#define LIMIT_S	30

void *__libc_calloc(size_t n, size_t bytes);

static int left;

void *calloc(size_t n, size_t bytes)
{
	if (left && !--left)
		raise(SIGUSR1);
	return __libc_calloc(n, bytes);
}

static void handle(int signal)
{
	(void)signal;
	exit(0);
}

static void called(const struct taffrail_event *event, void *unused)
{
	(void)event;
	(void)unused;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;

	alarm(LIMIT_S);
	signal(SIGUSR1, handle);
	left = n;
	if (taffrail_probe_attach("every/*", called, NULL) < 0)
		return 1;
	printf("%d\n", n - left);
	left = 0;
	return 0;
}
