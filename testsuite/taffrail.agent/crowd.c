/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* More threads than CPUs and rings, all writing all the time. */
#include <pthread.h>
#include <stdio.h>
#include <taffrail/marker.h>

enum { THREADS = 20, EVENTS = 2000 };

static char names[THREADS][16];

static void *write_all(void *arg)
{
	const char *who = arg;
	int n;

	for (n = 0; n < EVENTS; n++)
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++) {
		snprintf(names[i], sizeof(names[i]), "thread%d", i);
		if (pthread_create(&threads[i], NULL, write_all, names[i]))
			return 1;
	}
	for (i = 0; i < THREADS; i++)
		if (pthread_join(threads[i], NULL))
			return 1;
	return 0;
}
