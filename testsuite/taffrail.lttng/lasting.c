/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers the events of its own provider, while much else goes on:
 *
 *	lasting rounds LIBRARY N	N times, loads the provider of every.h,
 *				hits an event of it, and unloads it
 *	lasting forks LIBRARY N	forks N children, which load the library, hit
 *				five events, and one of the library's
 *	lasting killed FILE N	kills itself behind some N events; FILE has how
 *				many each thread has hit
 *
 * The first two print how many events there are.
 */
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE
#include "every.h"
#undef LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ
#include "harm.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS		2
#define STEP		10000000	/* between the numbers of two threads */
#define CHILD_EVENTS	5

static volatile int stop;
static volatile long *counts;		/* of a page */

static void *hit_numbered(void *arg)
{
	long thread = (long)arg;
	long n = 0;

	while (!stop) {
		lttng_ust_tracepoint(harm, plain, (int)(thread * STEP + n));
		counts[thread] = ++n;
		if (!(n & 63))
			usleep(2000);
	}
	return NULL;
}

static void library_hit(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	if (!library) {
		puts(dlerror());
		exit(1);
	}
	lttng_ust_tracepoint(every, other, 1, "round");
	dlclose(library);
	/* nobody has it now */
	lttng_ust_tracepoint(every, other, 2, "unloaded");
}

static void fork_once(const char *path)
{
	int status = 0;
	pid_t pid = fork();
	int i;

	if (!pid) {
		for (i = 0; i < CHILD_EVENTS; i++)
			lttng_ust_tracepoint(harm, plain, -1);
		library_hit(path);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (pid < 0 || status)
		printf("a child: %#x\n", status);
}

int main(int argc, char **argv)
{
	int kills = argc == 4 && !strcmp(argv[1], "killed");
	int forks = argc == 4 && !strcmp(argv[1], "forks");
	int fd = kills ? open(argv[2], O_RDWR | O_CREAT, 0600) : -1;
	long n = argc == 4 ? atol(argv[3]) : 0, i;
	pthread_t threads[THREADS];

	if (!n || (kills && ftruncate(fd, 4096)))
		return 2;
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      kills ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, hit_numbered, (void *)i);
	while (kills)
		if (counts[0] + counts[1] >= n)
			kill(getpid(), SIGKILL);
	for (i = 0; i < n; i++) {
		if (forks)
			fork_once(argv[2]);
		else
			library_hit(argv[2]);
	}
	stop = 1;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", counts[0] + counts[1] + (forks ? n * CHILD_EVENTS : 0));
	return 0;
}
