/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loads the library argv[1] at a line "load", unloads it at "unload". */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <taffrail/marker.h>

int main(int argc, char **argv)
{
	void *library = NULL;
	char line[64];
	int n = 0;

	puts("ready");
	fflush(stdout);
	while (argc == 2 && fgets(line, sizeof(line), stdin)) {
		TAFFRAIL_EVENT(app, line, n);
		if (!strcmp(line, "load\n"))
			library = dlopen(argv[1], RTLD_NOW);
		else if (!strcmp(line, "unload\n"))
			dlclose(library);
		else
			return 0;
		printf("%s", line);
		fflush(stdout);
	}
	return 1;
}
