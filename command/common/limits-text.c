/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of this command's own process, in words. See limits.h.
 */
#include "command/common/limits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/base.h"

const char *limits_error(int error)
{
	static const struct {
		int error, resource, unit;
		const char *option, *suffix, *words;
	} rows[] = {
		{ EMFILE, RLIMIT_NOFILE, 1, "-n", "", NULL },
		{ EFBIG, RLIMIT_FSIZE, 1024, "-f", "K", NULL },
		{ ENOLCK, RLIMIT_MEMLOCK, 1024, "-l", "K",
		  "this command's memory is locked, and limited" },
	};
	static char text[112];
	struct rlimit limit;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].error != error ||
		    getrlimit((__rlimit_resource_t)rows[i].resource, &limit) ||
		    limit.rlim_cur == RLIM_INFINITY)
			continue;
		snprintf(text, sizeof(text), "%s (ulimit %s is %llu%s)",
			 rows[i].words ?: strerror(error), rows[i].option,
			 (unsigned long long)limit.rlim_cur /
				 (unsigned int)rows[i].unit, rows[i].suffix);
		return text;
	}
	return strerror(error);
}

const char *limits_raise(int error)
{
	static char text[128];

	if (error != EMFILE && error != EFBIG && error != ENOLCK)
		return limits_error(error);
	snprintf(text, sizeof(text), "%s: raise it", limits_error(error));
	return text;
}

const char *limits_explain(const char *text)
{
	static const int errors[] = { EMFILE, EFBIG };
	static char said[1024];

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		const char *words = strerror(errors[i]);
		size_t n = strlen(text), end = strlen(words);

		if (n < end || strcmp(text + n - end, words))
			continue;
		snprintf(said, sizeof(said), "%.*s%s", (int)(n - end), text,
			 limits_raise(errors[i]));
		return said;
	}
	return text;
}
