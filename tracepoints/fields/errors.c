/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of Linux's errors; see errors.h.
 */
#include "tracepoints/fields/errors.h"

#include "base/text.h"

#define WORD(name)	#name "\0"

const char *error_word(uint64_t number)
{
	const char *word = ERROR_NAMES(WORD);

	if (!number || number > ERROR_MAX)
		return "";
	while (--number)
		while (*word++)
			;
	return word;
}

uint32_t error_number(const char *p, size_t n)
{
	const char *word = ERROR_NAMES(WORD);
	size_t bytes;

	for (uint32_t number = 1; number <= ERROR_MAX; number++) {
		bytes = text_length(word);
		if (bytes && n == bytes + 1 && *p == 'E' &&
		    !__builtin_memcmp(p + 1, word, bytes))
			return number;
		word += bytes + 1;
	}
	return 0;
}
