/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that say which they are: an event each. */
#include <pthread.h>
#include <stdint.h>
#include <taffrail/marker.h>

static void *say_line(void *unused)
{
	uint64_t id = (uintptr_t)pthread_self();

	TAFFRAIL_EVENT(app, self, TAFFRAIL_HEX(id));
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	say_line(NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, say_line, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
