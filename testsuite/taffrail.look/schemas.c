/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program whose processes describe the same events; and, compiled with WIDE,
 * one that gives other fields to events of the same names.
 *
 *	schemas N	two events, with N in them
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <taffrail/marker.h>

#ifdef WIDE
typedef uint64_t value;
#else
typedef int16_t value;
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(int argc, char **argv)
{
	value number = (value)atoi(argv[1]);

	(void)argc;
	pthread_mutex_lock(&lock);
#ifdef WIDE
	TAFFRAIL_EVENT(app, work_begin, number, TAFFRAIL_FIELD(more, "wide"));
#else
	TAFFRAIL_EVENT(app, work_begin, number);
#endif
	pthread_mutex_unlock(&lock);
	TAFFRAIL_EVENT(app, work_end, number);
	return 0;
}
