/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints printable text. See printable.h.
 */
#include "command/common/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/text/characters.h"

char *printable_text(const char *format, va_list ap)
{
	size_t n = strlen(format);
	char *text;
	int bytes = vasprintf(&text, format, ap);
	bool ends = n && format[n - 1] == '\n';

	if (bytes < 0)
		return NULL;
	if (ends)
		text[bytes - 1] = '\0';
	printable(text);
	if (ends)
		text[bytes - 1] = '\n';
	return text;
}

void printable_vprint(const char *format, va_list ap)
{
	char *text = printable_text(format, ap);

	fputs(text ? text : "(out of memory)\n", stdout);
	free(text);
}

void printable_print(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	printable_vprint(format, ap);
	va_end(ap);
}
