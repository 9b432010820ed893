/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that forks inside an LTTng event.
 *
 *	forking held LIBRARY	meanwhile another thread unloads a provider, and
 *				so waits for the event; the child exits there
 *	forking free LIBRARY	meanwhile other threads hit events; the child
 *				leaves the event and unloads the provider
 */
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE
#include "every.h"
#include "harm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_S		30
#define PAUSE_US	200000

static sem_t unloads;
static const char *path;
static void *library;
static int held;
static int in_child;
static int status = -1;
static volatile int stop;

static void *hits(void *unused)
{
	(void)unused;
	while (!stop) {
		lttng_ust_tracepoint(every, one, 1, "some string");
		lttng_ust_tracepoint(harm, plain, 1);
	}
	return NULL;
}

static void *unload(void *unused)
{
	(void)unused;
	sem_wait(&unloads);
	dlclose(library);
	return NULL;
}

static void child(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, hits, NULL);
	usleep(1000);
	dlclose(library);
	library = dlopen(path, RTLD_NOW);
	lttng_ust_tracepoint(every, other, 3, "child");
	stop = 1;
	pthread_join(thread, NULL);
	exit(!library);
}

static int inside(void)
{
	pid_t pid;

	if (held) {
		sem_post(&unloads);
		usleep(PAUSE_US);
	}
	pid = fork();
	in_child = !pid;
	if (in_child)
		alarm(LIMIT_S);
	if (in_child && held)
		exit(0);
	if (!in_child)
		waitpid(pid, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	int i;

	if (argc < 3)
		return 2;
	alarm(2 * LIMIT_S);
	held = !strcmp(argv[1], "held");
	path = argv[2];
	library = dlopen(path, RTLD_NOW);
	lttng_ust_tracepoint(every, nothing);
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, held && !i ? unload : hits,
			       NULL);
	for (i = held ? 0 : -9; i < 1; i++) {
		lttng_ust_tracepoint(harm, inside, inside);
		if (in_child)
			child();
		if (status)
			break;
	}
	stop = 1;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("the child: %#x\n", status);
	return !!status;
}
