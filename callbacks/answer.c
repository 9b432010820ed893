/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The answer to a request, and the functions by which probe libraries write and
 * read it.
 *
 *	facts	lines "key=value", for the command: small, in the call itself
 *	text	the output of the library's functions: grows up to TEXT_MAX
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callbacks/private.h"
#include "control/request.h"

#define PUBLIC		__attribute__((visibility("default")))
/* A cut text leaves room for the lines around it. */
#define TEXT_MAX	(REQUEST_ANSWER_MAX - 4096)

/* Makes room for n characters and a NUL. */
static int call_grow(struct taffrail_call *call, size_t n)
{
	size_t size = call->size ? call->size : 4096;
	char *more;

	while (size < call->used + n + 1)
		size *= 2;
	if (size == call->size)
		return 0;
	more = realloc(call->text, size);
	if (!more)
		return -ENOMEM;
	call->text = more;
	call->size = size;
	return 0;
}

/* Appends to the lines of facts. Facts are short; a line that does not fit is
 * cut, so that an answer always ends with a NUL. */
static void facts_add(struct taffrail_call *call, const char *format,
		      va_list args)
{
	size_t room = sizeof(call->facts) - call->nfacts;
	int n = vsnprintf(call->facts + call->nfacts, room, format, args);

	if (n > 0)
		call->nfacts += (size_t)n < room ? (size_t)n : room - 1;
}

void call_add(struct taffrail_call *call, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	facts_add(call, format, args);
	va_end(args);
}

int call_fail(struct taffrail_call *call, int error, const char *format, ...)
{
	va_list args;

	call->nfacts = 0;
	call->error = error;
	call_add(call, "error=");
	va_start(args, format);
	facts_add(call, format, args);
	va_end(args);
	call_add(call, "\n");
	return error;
}

/* Returns -1 when the answer has no room for the text, and marks the answer as
 * cut: a command then says that there was more. */
PUBLIC int taffrail_call_printf(struct taffrail_call *call, const char *format,
				...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= TEXT_MAX - call->used ||
	    call_grow(call, (size_t)n)) {
		call->cut = 1;
		return -1;
	}
	va_start(args, format);
	vsnprintf(call->text + call->used, (size_t)n + 1, format, args);
	va_end(args);
	call->used += (size_t)n;
	return n;
}

PUBLIC int taffrail_call_words(const struct taffrail_call *call)
{
	return call->nwords;
}

PUBLIC const char *taffrail_call_word(const struct taffrail_call *call,
				      int number)
{
	return number >= 0 && number < call->nwords ? call->words[number] :
						      NULL;
}

/* A word "NAME=VALUE" is a setting; of several, the first counts. */
PUBLIC const char *taffrail_call_value(const struct taffrail_call *call,
				       const char *name)
{
	size_t n = strlen(name);

	for (int i = 0; i < call->nwords; i++)
		if (!strncmp(call->words[i], name, n) &&
		    call->words[i][n] == '=')
			return call->words[i] + n + 1;
	return NULL;
}
