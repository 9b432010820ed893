/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that forks, execs, loads and unloads libraries and ends threads,
 * with hits before, in between and after. It prints "ready". Each line on its
 * input is a letter and a number; the answer is "done" and, if a child stays,
 * its pid. argv[1] is the library, and there may be more of them.
 *
 *	h N	N hits by the main thread
 *	t N	N threads with a hit each
 *	f N	N children with 3 hits each; a hit here before and after each
 *	v N	the same by vfork(), each executing /bin/true
 *	c N	a child that stays, with N hits, until its input ends
 *	o N	load library N, or the first one
 *	l N	N hits in it
 *	q	unload it
 *	x	executes itself
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>


static volatile long total;
static char **arguments;

static __attribute__((noinline)) void hit(long n)
{
	TAFFRAIL_EVENT(app, hit, n);
	total++;
}

static void *thread(void *arg)
{
	hit((long)arg);
	return arg;
}

static void threads(long n)
{
	pthread_t id;

	while (n--)
		if (!pthread_create(&id, NULL, thread, (void *)n))
			pthread_join(id, NULL);
}

static void forks(long n)
{
	long i;
	pid_t child;

	while (n--) {
		hit(-1);
		child = fork();
		for (i = 0; !child && i < 3; i++)
			hit(1000 + i);
		if (!child)
			_exit(total >= 4 ? 0 : 1);
		hit(-2);
		if (child > 0)
			waitpid(child, NULL, 0);
	}
}

static void vforks(long n)
{
	pid_t child;

	while (n--) {
		hit(-3);
		child = vfork();
		if (!child) {
			execl("/bin/true", "true", NULL);
			_exit(1);
		}
		hit(-4);
		if (child > 0)
			waitpid(child, NULL, 0);
	}
}

/* Prints its pid after its hits. */
static void child_keep(long n)
{
	char c;
	int ready[2];
	pid_t child;

	if (pipe(ready))
		abort();
	child = fork();
	if (!child) {
		while (n--)
			hit(5000 + n);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;) {
			usleep(1000);
			hit(6000);
			if (getppid() == 1)
				_exit(0);
		}
	}
	if (read(ready[0], &c, 1) != 1)
		abort();
	close(ready[0]);
	close(ready[1]);
	printf("done child=%d\n", (int)child);
}

static void *library;
static void (*plugged)(long n);

static void library_open(long n)
{
	library = dlopen(arguments[n ? n : 1], RTLD_NOW);
	plugged = library ? (void (*)(long))dlsym(library, "plugged") : NULL;
	if (!plugged)
		abort();
}

int main(int argc, char **argv)
{
	char line[64];
	long n;

	arguments = argv;
	setvbuf(stdin, NULL, _IONBF, 0);
	printf("ready total=%p\n", (void *)&total);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		n = atol(line + 1);
		switch (line[0]) {
		case 'h':
			while (n--)
				hit(n);
			break;
		case 't':
			threads(n);
			break;
		case 'f':
			forks(n);
			break;
		case 'v':
			vforks(n);
			break;
		case 'c':
			child_keep(n);
			break;
		case 'o':
			library_open(n);
			break;
		case 'l':
			while (n--)
				plugged(n);
			break;
		case 'q':
			dlclose(library);
			break;
		case 'x':
			execv("/proc/self/exe", arguments);
			abort();
		}
		if (line[0] != 'c')
			puts("done");
		fflush(stdout);
	}
	return 0;
}
