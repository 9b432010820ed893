/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program whose file, or whose library's, is replaced or removed while it
 * runs:
 *	replaced run [LIBRARY]	passes its probe, and those of the library, N
 *				times for each line "N"
 *	replaced memfd		does so from a file without a name
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <sys/sendfile.h>
#include <unistd.h>

static volatile int sink;

__attribute__((noinline)) static void pass(int i)
{
	DTRACE_PROBE1(srv, tick, i);
	sink = i * 3;
	sink += 7;
}

static int run_nameless(void)
{
	char *words[] = { "nameless", "run", NULL };
	int from = open("/proc/self/exe", O_RDONLY);
	int to = memfd_create("nameless", 0);

	while (sendfile(to, from, NULL, 1 << 20) > 0)
		continue;
	return fexecve(to, words, environ);
}

int main(int argc, char **argv)
{
	void (*library)(int) = NULL;
	char line[64];

	if (argc > 1 && !strcmp(argv[1], "memfd"))
		return run_nameless();
	if (argc > 2) {
		void *handle = dlopen(argv[2], RTLD_NOW);

		if (!handle)
			return 2;
		*(void **)&library = dlsym(handle, "pass_library");
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && *line != 'e') {
		for (int i = 0; i < atoi(line); i++) {
			pass(i);
			if (library)
				library(i);
		}
		printf("passed %d\n", atoi(line));
		fflush(stdout);
	}
	puts("right");
	return 0;
}
