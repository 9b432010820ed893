/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * More threads than CPUs and rings, all writing all the time.
 *	crowd THREADS AT_ONCE EVENTS: in each of AT_ONCE places, THREADS
 *	threads run one after the other; each writes EVENTS events
 * The events of a place are numbered through: "place0" and so on.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <taffrail/marker.h>

enum { PLACES_MAX = 64 };

static struct place {
	char name[16];
	int written;
} places[PLACES_MAX];

static int events;

static void *write_all(void *arg)
{
	struct place *place = arg;
	const char *who = place->name;
	int end = place->written + events;

	while (place->written < end) {
		int n = place->written++;

		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[PLACES_MAX];
	int total = argc == 4 ? atoi(argv[1]) : 0;
	int at_once = argc == 4 ? atoi(argv[2]) : PLACES_MAX + 1;
	int i;

	if (at_once > PLACES_MAX)
		return 2;
	events = atoi(argv[3]);
	for (i = 0; i < total; i++) {
		struct place *place = &places[i % at_once];

		if (i >= at_once && pthread_join(threads[i % at_once], NULL))
			return 1;
		snprintf(place->name, sizeof(place->name), "place%d",
			 i % at_once);
		if (pthread_create(&threads[i % at_once], NULL, write_all,
				   place))
			return 1;
	}
	for (i = 0; i < at_once; i++) {
		if (pthread_join(threads[i], NULL))
			return 1;
		printf("%s %d %d\n", places[i].name, places[i].written,
		       places[i].written);
	}
	return 0;
}
