/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Preloaded: there is no memory for arrays with elements of FAIL_BYTES bytes.
 */
#include <errno.h>
#include <stdlib.h>

void *reallocarray(void *array, size_t n, size_t bytes)
{
	const char *fail = getenv("FAIL_BYTES");

	if (fail && bytes == strtoul(fail, NULL, 10)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(array, n * bytes);
}
