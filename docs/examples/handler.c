/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A marker in a signal handler, which may interrupt the same marker in the
 * middle of a write: both events are whole.
 *
 *	cc $(pkg-config --cflags taffrail) handler.c -o handler
 *	taffrail record -o trace -- ./handler
 */
#include <signal.h>
#include <sys/time.h>

#include <taffrail/marker.h>

#define TICKS	20

static volatile sig_atomic_t ticks;

static void tick(int signal_number)
{
	int number = ++ticks;

	TAFFRAIL_EVENT(app, tick, number, signal_number);
}

int main(void)
{
	struct itimerval period = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction action = { .sa_handler = tick };
	unsigned int turn = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &period, NULL);
	while (ticks < TICKS) {
		turn++;
		if (turn % 256 == 0)
			TAFFRAIL_EVENT(app, turn, turn);
	}
	period = (struct itimerval){ 0 };
	setitimer(ITIMER_REAL, &period, NULL);
	TAFFRAIL_EVENT(app, end, TAFFRAIL_FIELD(ticks, (int)ticks));
	return 0;
}
