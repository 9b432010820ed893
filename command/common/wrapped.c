/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fits text to a terminal. See wrapped.h.
 */
#include "command/common/wrapped.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command/common/printable.h"
#include "traces/text/characters.h"

#define NAME_INDENT	4

/* Returns the columns of the first `n` bytes: those of UTF-8 characters. */
static int columns_of(const char *text, size_t n)
{
	int columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	return columns;
}

/* Prints a text in lines of at most `most` columns. */
static void put_lines(int at, int indent, int most, const char *text)
{
	while (*text) {
		size_t blanks = strspn(text, " ");
		size_t n = strcspn(text + blanks, " \n");
		int columns = columns_of(text, blanks + n);

		if (at > indent && columns > most - at) {
			printf("\n%*s", indent, "");
			at = indent;
			columns -= (int)blanks;
			text += blanks;
			blanks = 0;
		}
		fwrite(text, 1, blanks + n, stdout);
		at += columns;
		text += blanks + n;
		if (*text == '\n') {
			printf("\n%*s", indent, "");
			at = indent;
			text++;
		}
	}
}

void wrapped_print(int at, int indent, const char *text)
{
	put_lines(at, indent, WRAPPED_COLUMNS, text);
}

int wrapped_columns(void)
{
	struct winsize size;
	static int columns;

	if (columns)
		return columns;
	columns = INT_MAX;
	if (isatty(STDOUT_FILENO))
		columns = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) &&
			  size.ws_col ? size.ws_col : WRAPPED_COLUMNS;
	return columns;
}

void wrapped_text(int at, int indent, const char *text)
{
	char *copy = strdup(text);

	if (copy)
		printable(copy);
	put_lines(at, indent, wrapped_columns(), copy ?: "(out of memory)");
	putchar('\n');
	free(copy);
}

void wrapped_name(int at, const char *name)
{
	bool fits = columns_of(name, strlen(name)) <=
		    wrapped_columns() - at - 2;

	if (!fits)
		printf("\n%*s", NAME_INDENT, "");
	printable_print("%s%s\n", fits ? "  " : "", name);
}
