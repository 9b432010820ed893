/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that exits inside an LTTng event. Its last destructor tells whether
 * an event is still connected, and whether the thread is still in one.
 *
 *	leaving field	an expression of a field exits
 *	leaving signal	the handler of a signal exits
 *	leaving fork	a child exits, which an expression of a field makes
 */
#define _GNU_SOURCE
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "harm.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* After that of the provider. */
__attribute__((destructor(101))) static void end_tell(void)
{
	int (*inside)(void) = (int (*)(void))
		dlsym(RTLD_DEFAULT, "lttng_ust_urcu_read_ongoing");

	printf("connected %d, inside %d\n",
	       !!lttng_ust_tracepoint_enabled(harm, plain), inside());
	fflush(stdout);
}

static int leave_program(void)
{
	puts("leaves");
	fflush(stdout);
	exit(0);
}

static int interrupt(void)
{
	raise(SIGUSR1);
	return 0;
}

static int fork_off(void)
{
	int status = 1;
	pid_t pid = fork();

	if (!pid)
		leave_program();
	waitpid(pid, &status, 0);
	return status;
}

static void handle_signal(int signal)
{
	(void)signal;
	leave_program();
}

int main(int argc, char **argv)
{
	signal(SIGUSR1, handle_signal);
	lttng_ust_tracepoint(harm, plain, 1);
	if (!strcmp(argv[1], "field"))
		lttng_ust_tracepoint(harm, inside, leave_program);
	else if (!strcmp(argv[1], "signal"))
		lttng_ust_tracepoint(harm, inside, interrupt);
	else
		lttng_ust_tracepoint(harm, inside, fork_off);
	return strcmp(argv[1], "fork") != 0;
}
