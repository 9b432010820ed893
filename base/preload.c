/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The agent's libraries in LD_PRELOAD.
 *
 * Invariant: only the copy is written to. The environment may belong
 * to a parent whose memory a child of vfork(2) shares, and other threads may
 * read it.
 */
#include "base/preload.h"

#include <stdbool.h>
#include <unistd.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"

#define VARIABLE	"LD_PRELOAD="
#define LIBRARY		"libtaffrail"

/* Returns the length of the list's next word. The dynamic linker separates
 * words by these two characters. */
SIGSAFE static size_t word_length(const char *p)
{
	size_t n = 0;

	while (p[n] && p[n] != ':' && p[n] != ' ')
		n++;
	return n;
}

/* Returns true for libtaffrail.so and libtaffrail-NAME.so. */
SIGSAFE static bool word_ours(const char *word, size_t n)
{
	const char *name = word;
	const char *rest;

	for (size_t i = 0; i < n; i++)
		if (word[i] == '/')
			name = word + i + 1;
	rest = text_after(name, LIBRARY);
	return rest && rest < word + n && (*rest == '.' || *rest == '-');
}

/* Returns the first of the agent's libraries in the list, and stores the
 * length; or NULL. */
SIGSAFE static const char *list_ours(const char *list, size_t *n)
{
	for (;;) {
		*n = word_length(list);
		if (word_ours(list, *n))
			return list;
		if (!list[*n])
			return NULL;
		list += *n + 1;
	}
}

/* Returns the list that the dynamic linker reads, or NULL: of several variables
 * it takes the last. */
SIGSAFE static const char *list_in(char *const *environment)
{
	const char *found = NULL;
	const char *list;

	for (; environment && *environment; environment++) {
		list = text_after(*environment, VARIABLE);
		if (list)
			found = list;
	}
	return found;
}

SIGSAFE bool preload_named(char *const *environment)
{
	const char *list = list_in(environment);
	size_t n;

	return list && list_ours(list, &n);
}

SIGSAFE static bool word_seen(const char *word, size_t n)
{
	char path[512];
	bool bare = true;

	if (n >= sizeof(path))
		return true;
	for (size_t i = 0; i < n; i++) {
		path[i] = word[i];
		bare &= word[i] != '/';
	}
	path[n] = '\0';
	return bare || !sys2(SYS_access, path, R_OK);
}

SIGSAFE bool preload_seen(char *const *environment)
{
	const char *list = list_in(environment);
	size_t n;

	while (list && (list = list_ours(list, &n))) {
		if (!word_seen(list, n))
			return false;
		list += n + !!list[n];
	}
	return true;
}

SIGSAFE size_t preload_room(char *const *environment)
{
	size_t room = sizeof(*environment);

	for (; environment && *environment; environment++) {
		room += sizeof(*environment);
		if (text_after(*environment, VARIABLE))
			room += text_length(*environment) + 1;
	}
	return room;
}

/* Copies the variable without the agent's libraries. Returns the bytes that the
 * copy takes, or 0 when nothing is left. */
SIGSAFE static size_t variable_copy(char *to, const char *list)
{
	struct text text;
	size_t start, n;

	text_open(&text, to, text_length(list) + sizeof(VARIABLE));
	text_add(&text, VARIABLE);
	start = text.used;
	for (;;) {
		n = word_length(list);
		if (n && !word_ours(list, n)) {
			if (text.used > start)
				text_add_char(&text, ':');
			text_add_bytes(&text, list, n);
		}
		if (!list[n])
			return text.used > start ? text.used + 1 : 0;
		list += n + 1;
	}
}

SIGSAFE char **preload_without(char *const *environment, void *room)
{
	char **copy = room;
	char **next = copy;
	char *text;
	size_t n = 1;
	size_t used;

	while (environment[n - 1])
		n++;
	text = (char *)(copy + n);
	for (; *environment; environment++) {
		const char *list = text_after(*environment, VARIABLE);

		if (!list) {
			*next++ = *environment;
			continue;
		}
		used = variable_copy(text, list);
		if (used)
			*next++ = text;
		text += used;
	}
	*next = NULL;
	return copy;
}
