/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads a library with markers (library.c) while it is traced already.
 *
 *	cc $(pkg-config --cflags taffrail) plugin.c -o plugin
 *	taffrail record -e example/area -o trace -- ./plugin ./libexample.so
 */
#include <dlfcn.h>
#include <stdio.h>

#include <taffrail/marker.h>

int main(int argc, char **argv)
{
	int (*area)(int width, int height);
	void *library;
	int pass;

	for (pass = 1; pass <= 2; pass++) {
		library = dlopen(argc > 1 ? argv[1] : "./libexample.so",
				 RTLD_NOW);
		if (!library) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		*(void **)&area = dlsym(library, "example_area");
		TAFFRAIL_EVENT(app, loaded, pass);
		area(3, pass);
		dlclose(library);
	}
	return 0;
}
