/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program made for LTTng-UST, with the provider of every.h inside, or
 * (-DDYNAMIC) in a library that it loads.
 *
 *	every			each event once
 *	every lines [LIBRARY]	reads lines: "hit" (each event once), "load",
 *				"unload", "fork" (a child that ends), "end"
 *	every load LIBRARY N	loads, hits and unloads the library N times
 *	every threads LIBRARY N	the same, while two threads hit all the time
 *	every forks LIBRARY N	N children of such a program; each unloads the
 *				library, loads it and hits
 *	every blocks LIBRARY N	the same: all signals are blocked at the fork
 */
#define LTTNG_UST_TRACEPOINT_DEFINE
#ifdef DYNAMIC
#define LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE
#endif
#include "every.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stop;

static void hit_all(void)
{
	static const int v[] = { 1, -2, 300 };
	static const uint16_t n[] = { 0x0100, 0x1234 };

	lttng_ust_tracepoint(every, integers, -7, 0xfedcba9876543210ul);
	lttng_ust_tracepoint(every, floats, 1.5f, -2.25);
	lttng_ust_tracepoint(every, arrays, v, "abc\0defg", n);
	lttng_ust_tracepoint(every, sequences, v, 3, "hello", 5, n);
	lttng_ust_tracepoint(every, strings, "str \"q\"", NULL);
	lttng_ust_tracepoint(every, enums, 0);
	lttng_ust_tracepoint(every, enums, 5);
	lttng_ust_tracepoint(every, enums, -5);
	lttng_ust_tracepoint(every, enums, -4);
	lttng_ust_tracepoint(every, enums, 77);
	lttng_ust_tracepoint(every, nothing);
	lttng_ust_tracepoint(every, one, 1, "one");
	lttng_ust_tracepoint(every, other, 2, "two");
	lttng_ust_tracepoint(every, crowd, 3);
}

static void *hit_always(void *unused)
{
	unsigned long n = 0;

	(void)unused;
	while (!stop) {
		lttng_ust_tracepoint(every, one, 1, "some string");
		lttng_ust_tracepoint(every, floats, 1.5f, 2.5);
		if (!(++n & 0xff))
			usleep(50);
	}
	return NULL;
}

static void *library_load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	if (!library) {
		puts(dlerror());
		exit(1);
	}
	return library;
}

static void read_lines(const char *path)
{
	void *library = NULL;
	char line[16];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n")) {
		if (*line == 'l')
			library = library_load(path);
		else if (*line == 'u')
			dlclose(library);
		else if (*line != 'f')
			hit_all();
		else if (!fork())
			_exit(0);
		else
			wait(NULL);
		fputs(line, stdout);
		fflush(stdout);
	}
	puts("right");
}

static void load_often(const char *path, int n)
{
	void *library;

	while (n--) {
		library = library_load(path);
		hit_all();
		dlclose(library);
		hit_all();
	}
}

static void load_in_child(const char *path, void *library)
{
	pthread_t thread;

	pthread_create(&thread, NULL, hit_always, NULL);
	usleep(1000);
	dlclose(library);
	library = library_load(path);
	lttng_ust_tracepoint(every, other, 3, "child");
	stop = 1;
	pthread_join(thread, NULL);
	_exit(0);
}

/* Forks while all signals are blocked, or just so. */
static pid_t fork_blocked(int blocks)
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	if (blocks)
		pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (blocks)
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid;
}

static void hit_and_load(const char *path, int n, const char *forks)
{
	pthread_t thread[2];
	void *library;
	int status;
	pid_t pid;
	int i;

	for (i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, hit_always, NULL);
	while (n--) {
		library = library_load(path);
		usleep(200);
		if (forks) {
			pid = fork_blocked(*forks == 'b');
			if (!pid)
				load_in_child(path, library);
			waitpid(pid, &status, 0);
			if (status)
				printf("a child: %#x\n", status);
		}
		dlclose(library);
	}
	stop = 1;
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	puts("right");
}

int main(int argc, char **argv)
{
	if (argc < 2)
		hit_all();
	else if (!strcmp(argv[1], "lines"))
		read_lines(argv[2]);
	else if (argc < 4)
		return 2;
	else if (!strcmp(argv[1], "load"))
		load_often(argv[2], atoi(argv[3]));
	else
		hit_and_load(argv[2], atoi(argv[3]),
			     strcmp(argv[1], "threads") ? argv[1] : NULL);
	return 0;
}
