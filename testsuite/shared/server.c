/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program to trace from gdb. Its threads, numbered from 0, serve requests: at
 * a line "N" on its input, each serves N of them. It first prints "ready";
 * `asked` and `served` show its progress; at the end of its input it prints how
 * many requests all threads have served.
 *
 * Built with -DPLUGIN, it takes serve() from the library that its argument
 * names.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PLUGIN
#include "server.h"
#define serve	NULL
#else
#include "serve.c"
#endif

enum { THREADS = 3 };

struct server server = { .name = "main" };
volatile long asked;		/* lines so far */
volatile long served;		/* of them, done */
static struct conn conns[4] = {
	{ 3, "north", &conns[1] },
	{ 4, "east", &conns[2] },
	{ 5, "south", &conns[3] },
	{ 6, "west", NULL },
};
static pthread_barrier_t begin, end;
static long rounds;
static serve_fn *serve_used = serve;
#undef serve

static void *work(void *arg)
{
	static const char *const urls[] = { "/", "/index", "/a/b?c=d" };
	long i;

	for (;;) {
		pthread_barrier_wait(&begin);
		if (rounds < 0)
			return arg;
		for (i = 0; i < rounds; i++)
			serve_used((int)i, &conns[i % 4], urls[i % 3]);
		pthread_barrier_wait(&end);
	}
}

static void ask(long n)
{
	asked++;
	rounds = n;
	pthread_barrier_wait(&begin);
	if (n < 0)
		return;
	pthread_barrier_wait(&end);
	served++;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	void *library;
	char line[64];
	int i;

	if (argc > 1) {
		library = dlopen(argv[1], RTLD_NOW);
		if (library)
			serve_used = (serve_fn *)dlsym(library, "serve");
		if (!library || !serve_used)
			return 1;
	}
	pthread_barrier_init(&begin, NULL, THREADS + 1);
	pthread_barrier_init(&end, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		ask(atol(line));
	ask(-1);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("served %ld\n", server.stats.requests);
	return 0;
}
