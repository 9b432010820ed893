/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A server that is slow now and then, for docs/looking.md: four threads answer
 * requests. Each request parses, looks into a table under a lock, and answers.
 * Some answers are written to a log, which is flushed while the lock is held.
 *
 *	cc -g -pthread slow.c $(pkg-config --cflags taffrail) -o slow
 *	./slow SECONDS
 */
#include <pthread.h>
#include <stdlib.h>
#include <taffrail/marker.h>
#include <time.h>
#include <unistd.h>

#define THREADS		4
#define ITEMS		1000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long table[ITEMS];
static volatile int ends;

static void work_us(long us)
{
	struct timespec pause = { 0, us * 1000 };

	nanosleep(&pause, NULL);
}

static void look_up(int item)
{
	TAFFRAIL_EVENT(shop, lookup_begin, item);
	pthread_mutex_lock(&lock);
	table[item]++;
	/* the mistake: one item in a hundred is flushed under the lock */
	if (item % 100 == 7) {
		TAFFRAIL_EVENT(shop, flush_begin, item);
		work_us(20000);
		TAFFRAIL_EVENT(shop, flush_end);
	}
	pthread_mutex_unlock(&lock);
	TAFFRAIL_EVENT(shop, lookup_end);
}

static void *serve(void *seed)
{
	unsigned int state = (unsigned int)(size_t)seed;

	while (!ends) {
		int item = rand_r(&state) % ITEMS;

		TAFFRAIL_EVENT(shop, request_begin, item);
		work_us(200);
		look_up(item);
		work_us(100);
		TAFFRAIL_EVENT(shop, request_end, TAFFRAIL_FIELD(status, 200));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, serve, (void *)(i + 1));
	sleep(argc > 1 ? (unsigned int)atoi(argv[1]) : 2);
	ends = 1;
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
