/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words for a shell. See shell.h.
 *
 * Invariant: a word that is written means the same file to every shell, or the
 * caller is told that none can be written. A message must show the word as it
 * is typed.
 */
#include "command/common/shell.h"

#include <stdlib.h>
#include <string.h>

#include "traces/text/characters.h"

#define PLAIN	"abcdefghijklmnopqrstuvwxyz"				\
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ"				\
		"0123456789/._-+,=:@%"

/* A place in a text that may be too small. */
struct put {
	char *text;
	size_t room;
	size_t n;
};

/* Adds a text, as much as there is room for; put->n is the room then. */
static void put_text(struct put *put, const char *text)
{
	for (; *text; text++)
		if (put->n < put->room)
			put->text[put->n++] = *text;
}

bool shell_word(char *text, size_t room, const char *name)
{
	struct put put = { text, room, 0 };
	/* zsh looks for a command behind a first "=" */
	bool plain = *name && *name != '=' && !name[strspn(name, PLAIN)];
	char letter[2] = "", *shown;
	bool same;

	if (*name == '-')
		put_text(&put, "./");
	if (!plain)
		put_text(&put, "'");
	for (; *name; name++) {
		*letter = *name;
		put_text(&put, *name == '\'' ? "'\\''" : letter);
	}
	if (!plain)
		put_text(&put, "'");
	if (put.n == room)
		return false;
	text[put.n] = '\0';
	shown = strdup(text);
	if (!shown)
		return false;
	printable(shown);
	same = !strcmp(shown, text);
	free(shown);
	return same;
}
