/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declares and forgets very many markers, and stops before and behind those
 * whose instructions steps.c counts: one beside few others, one beside many.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <taffrail/event.h>

#define FEW	1000
#define MANY	100000

static struct taffrail_declared *events[MANY];

static struct taffrail_declared *declare(int i)
{
	static const struct taffrail_event_field fields[] = {
		{ "id", TAFFRAIL_T_S32 }, { "url", TAFFRAIL_T_STRING },
	};
	char name[32];

	snprintf(name, sizeof(name), "marker%d", i);
	return taffrail_event_declare("many", name, fields, 2);
}

static void declare_to(int *n, int end)
{
	for (; *n < end; (*n)++)
		events[*n] = declare(*n);
}

/* The oldest ones: they are the last in any list. */
static void forget(int begin, int end)
{
	for (; begin < end; begin++)
		taffrail_event_undeclare(events[begin]);
}

static int declared_again(int i)
{
	return events[i] && declare(i) == events[i];
}

int main(void)
{
	int i, n = 0, wrong = 0;

	/* what the first call of each function takes does not count */
	declare_to(&n, FEW - 1);
	forget(0, 1);
	events[0] = declare(0);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	declare_to(&n, FEW);
	raise(SIGSTOP);
	raise(SIGSTOP);
	forget(1, 2);
	raise(SIGSTOP);
	declare_to(&n, MANY - 1);
	raise(SIGSTOP);
	declare_to(&n, MANY);
	raise(SIGSTOP);
	raise(SIGSTOP);
	forget(2, 3);
	raise(SIGSTOP);
	for (i = 0; i < MANY; i += i < 100 ? 1 : 997)
		wrong += !declared_again(i);
	forget(0, MANY);
	for (i = 0; i < MANY; i += i < 100 ? 1 : 997)
		wrong += !declared_again(i);
	return wrong ? 3 : 0;
}
