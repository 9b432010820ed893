/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes events for those who read traces.
 *
 *	read small N	N events of a u64
 *	read mixed N	N events of an int64, a string and a double
 *	read pairs N	N events that begin and end something, in turn
 *	read served N	N events of four threads: requests with queries inside
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <taffrail/marker.h>

#define THREADS		4
#define REQUEST_EVENTS	8

static const char *const words[] = {
	"hello", "world", "a longer string here",
};

static void request(uint64_t id)
{
	TAFFRAIL_EVENT(bench, request_begin, id,
		       TAFFRAIL_FIELD(url, words[id % 3]));
	for (int query = 0; query < 3; query++) {
		TAFFRAIL_EVENT(bench, query_begin, id, query);
		TAFFRAIL_EVENT(bench, query_end, query);
	}
	TAFFRAIL_EVENT(bench, request_end, id,
		       TAFFRAIL_FIELD(status, (int)(id % 7)));
}

static void *serve(void *arg)
{
	long n = *(const long *)arg;

	for (long i = 0; i < n; i++)
		request((uint64_t)i);
	return NULL;
}

static int serve_all(long requests)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, serve, &requests))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	long count = argc > 2 ? atol(argv[2]) : 0;

	if (!strcmp(kind, "served"))
		return serve_all(count / REQUEST_EVENTS / THREADS);
	for (long i = 0; i < count; i++) {
		uint64_t n = (uint64_t)i;

		if (!strcmp(kind, "small"))
			TAFFRAIL_EVENT(bench, small, n);
		else if (!strcmp(kind, "mixed"))
			TAFFRAIL_EVENT(bench, mixed, (int64_t)i,
				       words[i % 3], (double)i * 1.1);
		else if (i & 1)
			TAFFRAIL_EVENT(bench, work_end, n);
		else
			TAFFRAIL_EVENT(bench, work_begin, n);
	}
	return 0;
}
