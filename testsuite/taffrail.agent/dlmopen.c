/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads argv[1] into ROUNDS namespaces of the dynamic linker, one after the
 * other, calls its hit() in each, and unloads it while a thread loads another
 * library, argv[2], into the program's own namespace.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 20, HITS = 5 };

static volatile int over;

static void *load(void *path)
{
	while (!over) {
		void *library = dlopen(path, RTLD_NOW);

		if (library)
			dlclose(library);
	}
	return NULL;
}

static int round_of(const char *path, int space)
{
	void *library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
	void (*hit)(int space, int n);
	int n;

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	*(void **)&hit = dlsym(library, "hit");
	for (n = 0; n < HITS; n++)
		hit(space, n);
	return dlclose(library);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int failed = 0;
	int i;

	if (argc != 3 || pthread_create(&thread, NULL, load, argv[2]))
		return 2;
	for (i = 0; i < ROUNDS && !failed; i++)
		failed = round_of(argv[1], i);
	over = 1;
	pthread_join(thread, NULL);
	return failed;
}
