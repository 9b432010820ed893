/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Each of THREADS threads locks and unlocks one mutex PAIRS times, so the
 * counts are known. Prints the mutex and the start routine, which identify its
 * own calls among others in the process.
 */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, PAIRS = 1000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void *work(void *arg)
{
	int i;

	for (i = 0; i < PAIRS; i++) {
		pthread_mutex_lock(&mutex);
		count++;
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

int main(void)
{
	pthread_t threads[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	for (i = 0; i < THREADS; i++)
		if (pthread_join(threads[i], NULL))
			return 1;
	printf("mutex 0x%lX start 0x%lX\n", (unsigned long)&mutex,
	       (unsigned long)work);
	return count == (long)THREADS * PAIRS ? 0 : 1;
}
