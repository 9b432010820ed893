/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes text printable. See printable.h.
 *
 * What must stay true here: a name can neither begin a new line nor send a
 * control sequence to a terminal. C1 controls, which are two bytes in UTF-8,
 * are control characters, too.
 */
#include "command/common/printable.h"

#include <stdlib.h>
#include <string.h>

#include "command/common/json.h"

void printable(char *text)
{
	unsigned char *s = (unsigned char *)text;

	while (*s) {
		int n = json_character_bytes(s);

		if (!n) {
			*s = '?';
			n = 1;
		} else if (*s < ' ' || *s == 0x7f) {
			*s = '?';
		} else if (*s == 0xc2 && s[1] < 0xa0) {
			memset(s, '?', 2);
		}
		s += n;
	}
}

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
