/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A constructor that says what libc knows of the program. */
#define _GNU_SOURCE

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void early(int argc, char **argv,
					       char **environment)
{
	const char *word = getenv("EARLY");

	printf("%s %s %d %d %d\n", program_invocation_short_name,
	       word ? word : "none", argc, !!argv[0], !!environment);
}
