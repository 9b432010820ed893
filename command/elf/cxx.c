/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * C++ names as people write them. See cxx-private.h. Facts: Itanium C++ ABI,
 * 3.4, "Demangler API", and 5.1, "External Names".
 *
 * libstdc++ reads the names. Where it is not, no C++ program runs; the command
 * does not need it otherwise.
 */
#include "command/elf/cxx-private.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LIBRARY	"libstdc++.so.6"

typedef char *demangle(const char *name, char *buffer, size_t *bytes,
		       int *status);

static demangle *find_demangle(void)
{
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	demangle *found = NULL;
	void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;

	memcpy(&found, &symbol, sizeof(found));
	return found;
}

char *cxx_name(const char *name)
{
	static demangle *found;
	static bool looked;
	int status;

	if (strncmp(name, "_Z", 2))
		return NULL;
	if (!looked)
		found = find_demangle();
	looked = true;
	return found ? found(name, NULL, NULL, &status) : NULL;
}
