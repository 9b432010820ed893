/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Libraries that come and go while their markers are on.
 *	modules ROUNDS A B [MANY]: A and B are copies of modules-lib.c that
 *	name the same marker.
 *	modules ask A NAME: A loads NAME, which is where A's RUNPATH leads.
 * A round loads A, calls it, and unloads it; B is loaded in every second round,
 * before A goes. MANY, a library of thousands of sites, is loaded once. Prints
 * "WHO LEAST MOST" for each name, and at last for events without a name.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taffrail/marker.h>

enum { CALLS = 5 };

static void *load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		fprintf(stderr, "%s\n", dlerror());
	return library;
}

static int call(void *library, const char *who, int first)
{
	void (*hit)(const char *who, int n);
	int i;

	*(void **)&hit = dlsym(library, "modules_hit");
	if (!hit)
		return -1;
	for (i = 0; i < CALLS; i++)
		hit(who, first + i);
	return 0;
}

static int run_many(const char *path)
{
	void *library = load(path);
	int (*many)(void);

	if (!library)
		return 1;
	*(void **)&many = dlsym(library, "modules_many");
	return !many || many() || dlclose(library);
}

static int run_ask(const char *path, const char *name)
{
	void *library = load(path);
	void *(*ask)(const char *);
	void *found;

	if (!library)
		return 1;
	*(void **)&ask = dlsym(library, "modules_ask");
	/* this program has no such path */
	if (!ask || dlopen(name, RTLD_NOW))
		return 1;
	found = ask(name);
	if (!found)
		fprintf(stderr, "%s\n", dlerror());
	return !found || call(found, "found", 0);
}

int main(int argc, char **argv)
{
	int rounds = argc > 3 ? atoi(argv[1]) : 0;
	void *b = NULL;
	int n;

	if (argc == 4 && !strcmp(argv[1], "ask"))
		return run_ask(argv[2], argv[3]);
	for (n = 0; n < rounds; n++) {
		void *a = load(argv[2]);
		const char *who = "program";

		if (!a || call(a, "a", n * CALLS))
			return 1;
		if (b) {
			if (call(b, "b", n / 2 * CALLS) || dlclose(b))
				return 1;
			b = NULL;
		} else {
			b = load(argv[3]);
		}
		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
		if (dlclose(a) || dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD))
			return 1;
	}
	printf("a %d %d\nb %d %d\nprogram %d %d\n- 0 %d\n", n * CALLS,
	       n * CALLS, n / 2 * CALLS, n / 2 * CALLS, n, n, 3 * n);
	return argc == 5 && run_many(argv[4]);
}
