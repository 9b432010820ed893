/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes locks and makes threads, without end, for a provider that comes late:
 * names are bound, and a thread waits for a condition. Prints "ready".
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t late_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static unsigned long rounds;

static void *wait_always(void *arg)
{
	pthread_mutex_lock(&late_lock);
	for (;;)
		pthread_cond_wait(&changed, &late_lock);
	return arg;
}

static void *run_short(void *arg)
{
	pthread_mutex_lock(&late_lock);
	rounds++;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&late_lock);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_lock(&spin);
	pthread_spin_unlock(&spin);
	return arg;
}

int main(void)
{
	pthread_t waiter, thread;

	if (pthread_create(&waiter, NULL, wait_always, NULL))
		return 1;
	for (;;) {
		if (pthread_create(&thread, NULL, run_short, NULL) ||
		    pthread_join(thread, NULL))
			return 2;
		if (rounds == 10) {
			puts("ready");
			fflush(stdout);
		}
		usleep(500);
	}
}
