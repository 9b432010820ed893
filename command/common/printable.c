/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints printable text. See printable.h.
 */
#include "command/common/printable.h"

#include <stdlib.h>
#include <string.h>

#include "traces/text/characters.h"

void printable_vprint(FILE *file, const char *format, va_list ap)
{
	size_t n = strlen(format);
	char *text = NULL;
	int bytes = vasprintf(&text, format, ap);

	if (bytes < 0) {
		fputs("(out of memory)\n", file);
		return;
	}
	if (n && format[n - 1] == '\n')
		text[bytes - 1] = '\0';
	printable(text);
	fputs(text, file);
	if (n && format[n - 1] == '\n')
		fputc('\n', file);
	free(text);
}

void printable_print(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	printable_vprint(stdout, format, ap);
	va_end(ap);
}
