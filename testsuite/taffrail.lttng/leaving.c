/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that exits inside an LTTng event.
 *
 *	leaving field	an expression of a field exits
 *	leaving signal	the handler of a signal exits
 */
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "harm.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int leave(void)
{
	puts("leaves");
	exit(0);
}

static int interrupt(void)
{
	raise(SIGUSR1);
	return 0;
}

static void handle(int signal)
{
	(void)signal;
	leave();
}

int main(int argc, char **argv)
{
	signal(SIGUSR1, handle);
	lttng_ust_tracepoint(harm, plain, 1);
	lttng_ust_tracepoint(harm, inside, argc > 1 &&
			     !strcmp(argv[1], "signal") ? interrupt : leave);
	return 1;
}
