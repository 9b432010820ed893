/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * storm WORK...: a thread for each word, which does that work until a line of
 * input comes, and checks it: malloc, dlopen (of STORM_LIBRARY), fork, write
 * (events). The first word is the first thread's. At the end it prints how
 * often each was done.
 */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

#define BLOCKS	64

static int over(void)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };

	return poll(&input, 1, 0) > 0;
}

static void wrong(const char *what)
{
	printf("wrong: %s\n", what);
	fflush(stdout);
	_exit(3);
}

static void allocate(void)
{
	static char *blocks[BLOCKS];
	static unsigned int seed = 1;
	int i, round;

	for (round = 0; round < 1000; round++) {
		seed = seed * 1103515245 + 12345;
		i = seed >> 16 & (BLOCKS - 1);
		if (blocks[i] && *blocks[i] != i)
			wrong("memory");
		free(blocks[i]);
		blocks[i] = malloc((seed >> 8) % 5000 + 1);
		memset(blocks[i], i, 1);
	}
}

static void load(void)
{
	void *library = dlopen(getenv("STORM_LIBRARY"), RTLD_NOW);
	int (*number)(int) = library ? dlsym(library, "storm_number") : NULL;

	if (!number || number(6) != 7 || dlclose(library))
		wrong("library");
}

static void divide(void)
{
	static int number;
	pid_t child = fork();
	int status;

	if (!child) {
		TAFFRAIL_EVENT(app, child, number);
		_exit(7);
	}
	number++;
	if (child < 0 || waitpid(child, &status, 0) != child ||
	    !WIFEXITED(status) || WEXITSTATUS(status) != 7)
		wrong("child");
}

static void write_events(void)
{
	static int number;
	int i;

	for (i = 0; i < 1000; i++, number++)
		TAFFRAIL_EVENT(app, hit, number);
}

static void *work(void *word)
{
	static const struct {
		const char *word;
		void (*once)(void);
	} works[] = {
		{ "malloc", allocate }, { "dlopen", load }, { "fork", divide },
		{ "write", write_events },
	};
	size_t i;
	long n = 0;

	for (i = 0; strcmp(works[i].word, word); i++)
		;
	for (; !over(); n++)
		works[i].once();
	return (void *)n;
}

int main(int argc, char **argv)
{
	pthread_t threads[8];
	void *n;
	int i;

	for (i = 2; i < argc; i++)
		pthread_create(&threads[i], NULL, work, argv[i]);
	puts("ready");
	fflush(stdout);
	n = work(argv[1]);
	printf("%s %ld\n", argv[1], (long)n);
	for (i = 2; i < argc; i++) {
		pthread_join(threads[i], &n);
		printf("%s %ld\n", argv[i], (long)n);
	}
	return 0;
}
