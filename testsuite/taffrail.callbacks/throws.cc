/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A handler that throws, as some runtimes' do for a null pointer: the frames of
 * the handler are gone, and the thread is not in a handler any more.
 */
#include <csetjmp>
#include <csignal>

#include <taffrail/marker.h>
#include <taffrail/probe.h>

#include "../shared/results.h"

static int called;

static void count(const taffrail_event *, void *)
{
	called++;
}

static void thrower(int)
{
	throw 1;
}

static int read_null(int *address)
{
	int *volatile p = address;

	try {
		return *p;
	} catch (int) {
		return -1;
	}
}

static jmp_buf out;

/* Leaves some stack behind: a jump over a buffer that is there no more fails. */
static void deep()
{
	volatile char room[65536];
	size_t i;

	for (i = 0; i < sizeof(room); i++)
		room[i] = 'A';
	longjmp(out, room[0]);
}

int main()
{
	struct sigaction action = {};

	action.sa_handler = thrower;
	action.sa_flags = SA_NODEFER;
	sigaction(SIGSEGV, &action, nullptr);
	taffrail_probe_attach("app/hit", count, nullptr);
	check_equal("an exception from a handler", read_null(nullptr), -1);
	TAFFRAIL_EVENT(app, hit, called);
	check_equal("the thread is out of the handler", called, 1);
	if (!setjmp(out))
		deep();
	check("a longjmp() finds nothing of the handler's", 1);
	return 0;
}
