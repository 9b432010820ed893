/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * loader LIBRARY: makes the dynamic linker work: markers in the program, in
 * threads, in a library that comes and goes, in children. Prints its results,
 * and ends with status 7.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <taffrail/marker.h>
#include <unistd.h>

#define THREADS	4
#define LOADS	5

/* Not freed at once, so the allocator has work. */
static void hit(const char *who, int count)
{
	for (int n = 0; n < count; n++) {
		void *block = malloc(10 * (size_t)n + 1);

		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
		free(block);
	}
}

static void *work(void *who)
{
	hit(who, 100);
	return NULL;
}

static int load(const char *path)
{
	void *handle = dlopen(path, RTLD_LAZY);
	void (*library_hit)(int);

	if (!handle || !(library_hit = dlsym(handle, "library_hit"))) {
		puts(dlerror());
		return 1;
	}
	library_hit(20);
	return dlclose(handle);
}

static int child(int by_vfork)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = by_vfork ? vfork() : fork();
	if (!pid && by_vfork)
		_exit(4);
	if (!pid) {
		hit("child", 100);
		_exit(3);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	char names[THREADS][16];
	pthread_t threads[THREADS];

	if (argc != 2)
		return 2;
	hit("main", 100);
	for (int i = 0; i < THREADS; i++) {
		snprintf(names[i], sizeof(names[i]), "thread%d", i);
		pthread_create(&threads[i], NULL, work, names[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < LOADS; i++)
		if (load(argv[1]))
			return 1;
	printf("children %d %d\n", child(0), child(1));
	return 7;
}
