/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints one proposal, a line.
 */
#include <stdio.h>
#include <string.h>

#include "command/completion/private.h"

void propose(const struct proposal *p, const char *word, const char *text)
{
	size_t n = strlen(p->before);

	if (strncmp(p->prefix, p->before, n) ||
	    strncmp(p->prefix + n, word, strlen(p->prefix + n)))
		return;
	printf("%s%s%s%s\n", p->before, word, text && *text ? "\t" : "",
	       text ? text : "");
}
