/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two threads that write, for a compiler's sanitizers to watch. */
#include <pthread.h>
#include <string.h>
#include <taffrail/marker.h>

static void *write_some(void *arg)
{
	const char *who = arg;
	int n;

	for (n = 0; n < 1000; n++)
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, write_some, "second"))
		return 1;
	write_some("first");
	return pthread_join(thread, NULL);
}
