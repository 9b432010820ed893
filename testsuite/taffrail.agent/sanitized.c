/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two threads that write, under a compiler's sanitizers. With an argument, the
 * program makes one mistake for each sanitizer instead. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Freed memory, an overflow, memory that nothing was written to. */
static int mistakes(int one)
{
	volatile int *p = malloc(sizeof(*p));
	int n = INT_MAX;

	n += one;
	if (*p == n)
		puts("equal");
	free((void *)p);
	return *p == n;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	if (argc > 1)
		return mistakes(argc - 1);
	if (pthread_create(&thread, NULL, write_some, "second"))
		return 1;
	write_some("first");
	return pthread_join(thread, NULL);
}
