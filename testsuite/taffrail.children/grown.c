/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * grown LIBRARY: forks a child that waits, and then loads and unloads the
 * library, so often that the list of modules outgrows the pages that the child
 * has of it. Then the child hits the marker, for the first time. Prints the
 * child's status, 7.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <taffrail/marker.h>

#ifndef LOADS
#define LOADS	1500
#endif

static int object;

static void hit_place(void)
{
	int *at = &object;

	TAFFRAIL_EVENT(app, hit, TAFFRAIL_SYMBOL(at));
}

static int child_run(int from)
{
	char byte;

	if (read(from, &byte, 1) != 1)
		return 1;
	hit_place();
	return 7;
}

int main(int argc, char **argv)
{
	int to[2], status = 0;
	pid_t child;

	if (argc < 2 || pipe(to))
		return 2;
	hit_place();
	child = fork();
	if (!child)
		_exit(child_run(to[0]));
	for (int i = 0; i < LOADS; i++) {
		void *library = dlopen(argv[1], RTLD_NOW);

		if (!library || dlclose(library))
			return 3;
	}
	if (write(to[1], "", 1) != 1 || waitpid(child, &status, 0) != child)
		return 4;
	printf("%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return 0;
}
