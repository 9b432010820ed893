/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads a library of adopt-lib.c by the path that it gets, changes to a
 * directory, renames another one, and waits for the end of its input. Then its
 * probe is hit 20 times; "right" is printed. Arguments: LIBRARY DIRECTORY FROM
 * TO; "-" leaves a step out, and LIBRARY "-" is one that it is linked with.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern void lend(int64_t n) __attribute__((weak));

int main(int argc, char **argv)
{
	void (*call)(int64_t n) = lend;
	void *library;
	char c;

	if (argc != 5)
		return 1;
	if (strcmp(argv[1], "-")) {
		library = dlopen(argv[1], RTLD_NOW);
		call = library ? (void (*)(int64_t))dlsym(library, "lend") :
				 NULL;
	}
	if (!call || (strcmp(argv[2], "-") && chdir(argv[2])) ||
	    (strcmp(argv[3], "-") && rename(argv[3], argv[4])))
		return 1;
	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	for (int i = 0; i < 20; i++)
		call(i);
	puts("right");
	return 0;
}
