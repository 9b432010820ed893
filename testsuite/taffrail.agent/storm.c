/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events in the handler of a signal that comes all the time, while main and a
 * second thread write, too. Prints how many events of each there were.
 *
 * Handlers interrupt each other, too: neither signal masks the other.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 20000, USERS = 1000, ALARMS = 300 };

static volatile sig_atomic_t alarms;
static volatile sig_atomic_t users;

static void on_alarm(int number)
{
	int n = alarms++;

	(void)number;
	TAFFRAIL_EVENT(app, alarm, n);
	if (n % 8 == 0)
		raise(SIGUSR1);
}

static void on_user(int number)
{
	int n = users++;

	(void)number;
	TAFFRAIL_EVENT(app, user, n);
}

static void *write_all(void *arg)
{
	const char *who = arg;
	int64_t n;

	for (n = 0; n < EVENTS || alarms < ALARMS; n++) {
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
		if (n % (EVENTS / USERS) == 0 && n < EVENTS)
			raise(SIGUSR1);
		if (n >= EVENTS)
			usleep(100);
	}
	return (void *)(intptr_t)n;
}

int main(void)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } };
	struct itimerval never = { { 0, 0 }, { 0, 0 } };
	struct sigaction alarm_action = { .sa_handler = on_alarm,
					  .sa_flags = SA_RESTART };
	struct sigaction user_action = { .sa_handler = on_user,
					 .sa_flags = SA_RESTART };
	pthread_t thread;
	void *first, *second;
	sigset_t block;

	sigaction(SIGALRM, &alarm_action, NULL);
	sigaction(SIGUSR1, &user_action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	sigemptyset(&block);
	sigaddset(&block, SIGALRM);
	sigaddset(&block, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &block, NULL);
	if (pthread_create(&thread, NULL, write_all, "thread"))
		return 1;
	pthread_sigmask(SIG_UNBLOCK, &block, NULL);
	first = write_all("main");
	setitimer(ITIMER_REAL, &never, NULL);
	if (pthread_join(thread, &second))
		return 1;
	printf("main %ld thread %ld alarms %d users %d\n",
	       (long)(intptr_t)first, (long)(intptr_t)second, (int)alarms,
	       (int)users);
	return 0;
}
