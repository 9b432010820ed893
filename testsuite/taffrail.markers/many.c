/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Very many markers, all in a library that is there from the start or is
 * loaded later (LATER), whose path is the argument. Prints what it emitted.
 */
#include <dlfcn.h>
#include <stdio.h>

#ifdef LATER
int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*many)(void);

	if (!library)
		return 1;
	*(void **)&many = dlsym(library, "many");
	printf("%d\n", many ? many() : -1);
	return 0;
}
#else
int many(void);

int main(void)
{
	printf("%d\n", many());
	return 0;
}
#endif
