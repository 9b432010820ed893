/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * crash HOW EVENTS: two threads emit EVENTS events each, then `last` has their
 * number, and the program ends as HOW says. "wait": instead, the program prints
 * "ready" and sleeps, and another program examines it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <taffrail/marker.h>
#include <unistd.h>

static long events;

static void *work(void *who)
{
	long thread = (long)who;

	for (long n = 0; n < events; n++)
		TAFFRAIL_EVENT(app, work, thread, n);
	return NULL;
}

/* Compilers warn of a recursion that they can see to be endless. */
static volatile int endless = 1;

static __attribute__((noinline)) int deeper(volatile char *above)
{
	volatile char frame[4096];

	frame[0] = *above;
	return (endless ? deeper(frame) : 0) + frame[0];
}

static void overflow(void)
{
	struct rlimit limit = { 1 << 20, 1 << 20 };
	char start = 1;

	setrlimit(RLIMIT_STACK, &limit);
	exit(deeper(&start));
}

/* Until the kernel or malloc() refuses. */
static void devour(int limited)
{
	struct rlimit limit = { 1u << 30, 1u << 30 };

	if (limited)
		setrlimit(RLIMIT_AS, &limit);
	for (;;) {
		char *p = malloc(1 << 20);

		if (!p)
			abort();
		memset(p, 1, 1 << 20);
	}
}

int main(int argc, char **argv)
{
	volatile int *volatile nowhere = (volatile int *)8;
	const char *how = argc > 2 ? argv[1] : "";
	pthread_t thread;
	long total;

	events = argc > 2 ? atol(argv[2]) : 0;
	if (pthread_create(&thread, NULL, work, (void *)1L))
		return 1;
	work((void *)0L);
	pthread_join(thread, NULL);
	total = 2 * events;
	TAFFRAIL_EVENT(app, last, total, TAFFRAIL_STR(how));
	if (!strcmp(how, "segv"))
		*nowhere = 1;
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "stack"))
		overflow();
	if (!strcmp(how, "memory") || !strcmp(how, "group"))
		devour(*how == 'm');
	if (!strcmp(how, "fork")) {
		if (!fork())
			abort();
		pause();
	}
	puts("ready");
	fflush(stdout);
	while (!strcmp(how, "wait"))
		pause();
	return 0;
}
