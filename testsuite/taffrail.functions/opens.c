/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens a library and calls its function 30 times. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	long (*called)(long);
	long sum = 0;

	if (!library)
		return 1;
	called = (long (*)(long))dlsym(library, "called");
	for (long i = 0; i < 30; i++)
		sum += called(i);
	printf("%ld\n", sum);
	return 0;
}
